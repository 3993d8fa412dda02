internal import ReceiptTypes

/// What is written down about each result with the ID of a purchase, to find those that were presented more than once.
///
/// The bytes of entries sort by the ID and then by the place in the input: the ID with its app and environment, the
/// place, the verdict, and the digest of what is signed.
struct DuplicateEntry {
    /// The purchase that a receipt is about.
    struct Purchase: Hashable {
        /// Whether the ID is the purchase token of Google Play.
        var isToken = false
        var id = ""
        var bundleID: String?
        var environment: String?
    }

    var purchase = Purchase()
    var source = 0
    var record = 0
    var item = 0
    var line = 0
    var verdict = Verdict.verified
    var digest: SHA256Digest?

    /// The longest text that an entry contains; a longer one is represented by its digest.
    private static let maximumLength = 1024
    private static let verdicts: [Verdict] = [.verified, .unverified, .undecided]

    // MARK: Digests

    /// Returns the SHA-256 of what a receipt's signature is over; nil for an input that has none.
    static func digest(of receipt: ReceiptInput) -> SHA256Digest? {
        switch receipt {
        case .jws(let text): text.withRawSpan(digest(ofJWS:))
        case .play(let data, _): try? SHA256Digest.of(bytes: data)
        case .appReceipt, .unrecognized: nil
        }
    }

    /// Returns the SHA-256 of the first two segments of a JWS; nil if it has no dot.
    ///
    /// The third one is left out: there are two valid signatures for each one of ECDSA.
    static func digest(ofJWS text: RawSpan) -> SHA256Digest? {
        var end = text.byteCount - 1
        while end > 0, text.byte(at: end) != UInt8(ascii: ".") { end -= 1 }
        return end > 0 ? try? SHA256Digest.of(text.extracting(0..<end)) : nil
    }

    // MARK: Writing

    /// Appends the entry of a result that is about a purchase; nothing for any other result.
    ///
    /// A notification reports a purchase that the app can have presented already, so it has no entry.
    static func append(
        _ result: BatchResult, at place: ResultPlace, ofSource source: Int, digest: SHA256Digest?,
        to output: inout [UInt8]
    ) {
        guard let claims = result.claims ?? result.refused, let id = claims.purchaseToken ?? claims.transactionID
        else { return }
        let start = output.count
        EntrySorter.appendCount(0, to: &output)
        output.append(claims.purchaseToken == nil ? 0 : 1)
        append(id, to: &output)
        append(claims.bundleID, to: &output)
        append(claims.environment, to: &output)
        append(source, to: &output)
        append(place.record, to: &output)
        append(place.item, to: &output)
        append(place.line, to: &output)
        output.append(UInt8(truncatingIfNeeded: verdicts.firstIndex(of: result.receipt.verdict) ?? 0))
        if let digest { output += digest.bytes }
        EntrySorter.setCount(ofEntryAt: start, in: &output)
    }

    /// Appends the length of a text and its bytes; an absent text has the largest length.
    private static func append(_ text: String?, to output: inout [UInt8]) {
        guard let text else {
            return EntrySorter.appendCount(0xFFFF, to: &output)
        }
        guard text.utf8.count > maximumLength else {
            EntrySorter.appendCount(text.utf8.count, to: &output)
            output.append(contentsOf: text.utf8)
            return
        }
        let digest = try? SHA256Digest.of(bytes: [UInt8](text.utf8))
        append("sha256:\(digest?.description ?? "unknown")", to: &output)
    }

    private static func append(_ number: Int, to output: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe output.append(contentsOf: $0) }
    }

    // MARK: Reading

    /// Returns the number of bytes of the purchase, by which entries of one purchase are recognized.
    static func purchaseCount(in entry: RawSpan) -> Int {
        var reader = EntryReader(entry)
        _ = reader.byte()
        for _ in 0..<3 { _ = reader.textPlace() }
        return reader.offset
    }

    /// Reads the bytes of an entry.
    init(_ entry: RawSpan) {
        var reader = EntryReader(entry)
        purchase.isToken = reader.byte() == 1
        purchase.id = reader.text() ?? ""
        purchase.bundleID = reader.text()
        purchase.environment = reader.text()
        source = reader.number()
        record = reader.number()
        item = reader.number()
        line = reader.number()
        let verdict = Int(reader.byte())
        self.verdict = Self.verdicts.indices.contains(verdict) ? Self.verdicts[verdict] : .undecided
        digest = SHA256Digest(bytes: entry.extracting(reader.offset..<entry.byteCount).array)
    }
}

/// Reads the parts of an entry one after another; what is missing at its end is 0.
private struct EntryReader: ~Escapable {
    private let bytes: RawSpan
    private(set) var offset = 0

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) {
        self.bytes = bytes
    }

    mutating func byte() -> UInt8 {
        guard offset < bytes.byteCount else { return 0 }
        defer { offset += 1 }
        return bytes.byte(at: offset)
    }

    mutating func number() -> Int {
        var number = 0
        for _ in 0..<8 { number = number << 8 | Int(byte()) }
        return number
    }

    mutating func text() -> String? {
        guard let place = textPlace() else { return nil }
        return bytes.extracting(place).text
    }

    /// Returns the place of the next text; nil if the text is absent.
    mutating func textPlace() -> Range<Int>? {
        let count = Int(byte()) << 8 | Int(byte())
        guard count < 0xFFFF else { return nil }
        let end = min(offset + count, bytes.byteCount)
        defer { offset = end }
        return offset..<end
    }
}

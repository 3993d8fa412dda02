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

    private static let verdicts: [Verdict] = [.verified, .unverified, .undecided]

    // MARK: Digests

    /// Returns the SHA-256 of what a receipt's signature is over; nil for an input that has none.
    static func digest(of receipt: ReceiptInput) -> SHA256Digest? {
        switch receipt {
        case .jws(let text): text.withRawSpan(digest(ofJWS:))
        case .play(let data, _): try? SHA256Digest.of(bytes: data)
        case .appReceipt, .unrecognized, .unsearched: nil
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
        EntryBytes.append(id, to: &output)
        EntryBytes.append(claims.bundleID, to: &output)
        EntryBytes.append(claims.environment, to: &output)
        EntryBytes.append(source, to: &output)
        EntryBytes.append(place.record, to: &output)
        EntryBytes.append(place.item, to: &output)
        EntryBytes.append(place.line, to: &output)
        output.append(UInt8(truncatingIfNeeded: verdicts.firstIndex(of: result.receipt.verdict) ?? 0))
        if let digest { output += digest.bytes }
        EntrySorter.setCount(ofEntryAt: start, in: &output)
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

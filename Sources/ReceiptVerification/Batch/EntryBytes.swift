internal import ReceiptTypes

/// Appends the parts of entries, which ``EntrySorter`` sorts by their bytes.
enum EntryBytes {
    /// The longest text that an entry contains; a longer one is represented by its digest.
    private static let maximumLength = 1024

    /// Appends the length of a text and its bytes; an absent text has the largest length.
    static func append(_ text: String?, to output: inout [UInt8]) {
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

    static func append(_ number: Int, to output: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe output.append(contentsOf: $0) }
    }

    /// Appends a number so that smaller ones, including negative ones, sort first.
    static func append(ordered number: Int64, to output: inout [UInt8]) {
        append(Int(Int64(bitPattern: UInt64(bitPattern: number) ^ 1 << 63)), to: &output)
    }
}

/// Reads the parts of an entry one after another; what is missing at its end is 0.
struct EntryReader: ~Escapable {
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

    /// Returns the next number that ``EntryBytes/append(ordered:to:)`` has written.
    mutating func orderedNumber() -> Int64 { Int64(bitPattern: UInt64(bitPattern: Int64(number())) ^ 1 << 63) }

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

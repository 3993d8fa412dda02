/// Finds the ends of records.
///
/// Each byte is scanned once, in pieces of any size.
struct RecordScanner {
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")

    let isCSV: Bool
    /// The offset up to which the bytes have been scanned.
    private var position = 0
    /// Whether that offset is inside quotation marks, where a line feed is part of a field.
    private(set) var isQuoted = false
    /// The offset at which the record begins, and the one after the last closing quotation mark; negative if they were
    /// removed.
    private var recordStart: Int
    private var closed = -1
    /// The last byte of the previous call.
    private var lastByte: UInt8?
    /// The bytes that separate fields.
    private let delimiters: [UInt8]

    /// - Parameter delimiter: The delimiter of CSV; nil if the header line, which shows it, was not read yet.
    init(_ format: BatchFormat, delimiter: UInt8? = nil, at position: Int = 0) {
        isCSV = format.isCSV
        self.position = position
        recordStart = position
        delimiters = delimiter.map { [$0] } ?? CSV.delimiters
    }

    /// Returns the end of the next record, after its line feed; nil if the bytes do not contain its end.
    ///
    /// - Parameter bytes: The bytes of the previous call, with further bytes appended.
    mutating func nextEnd(in bytes: RawSpan) -> Int? {
        guard isCSV else { return moveBehind(Self.lineFeed, in: bytes) }
        // The next line feed; searched again only if a quoted field extends past it.
        var feed = -1
        while true {
            if isQuoted {
                guard moveBehind(Self.quote, in: bytes) != nil else { return pause(after: bytes) }
                isQuoted = false
                closed = position
            }
            if feed < position { feed = bytes.firstOffset(of: Self.lineFeed, from: position) ?? bytes.byteCount }
            guard let mark = bytes.extracting(position..<feed).firstOffset(of: Self.quote) else {
                position = min(feed + 1, bytes.byteCount)
                guard feed < bytes.byteCount else { return pause(after: bytes) }
                recordStart = position
                return position
            }
            position += mark + 1
            isQuoted = isOpening(at: position - 1, in: bytes)
        }
    }

    /// Returns whether a quotation mark opens a field: at its beginning, or again after a doubled one has closed it.
    ///
    /// Anywhere else it is a character, such as that of inches, and must not hide the records after it.
    private func isOpening(at mark: Int, in bytes: RawSpan) -> Bool {
        if mark == recordStart || mark == closed { return true }
        guard let before = mark > 0 ? bytes.byte(at: mark - 1) : lastByte else { return false }
        return delimiters.contains(before)
    }

    private mutating func pause(after bytes: RawSpan) -> Int? {
        if bytes.byteCount > 0 { lastByte = bytes.byte(at: bytes.byteCount - 1) }
        return nil
    }

    /// Adjusts the offset after the first bytes were removed.
    mutating func drop(_ count: Int) {
        position = max(position - count, 0)
        recordStart = max(recordStart - count, -1)
        closed = max(closed - count, -1)
    }

    private mutating func moveBehind(_ byte: UInt8, in bytes: RawSpan) -> Int? {
        let found = bytes.firstOffset(of: byte, from: position)
        position = found.map { $0 + 1 } ?? bytes.byteCount
        return found == nil ? nil : position
    }
}

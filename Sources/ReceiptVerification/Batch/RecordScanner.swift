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
    private var isQuoted = false

    init(_ format: BatchFormat, at position: Int = 0) {
        isCSV = format.isCSV
        self.position = position
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
                guard moveBehind(Self.quote, in: bytes) != nil else { return nil }
                isQuoted = false
            }
            if feed < position { feed = bytes.firstOffset(of: Self.lineFeed, from: position) ?? bytes.byteCount }
            guard let mark = bytes.extracting(position..<feed).firstOffset(of: Self.quote) else {
                position = min(feed + 1, bytes.byteCount)
                return feed < bytes.byteCount ? position : nil
            }
            // A doubled quotation mark closes the field and opens it again.
            position += mark + 1
            isQuoted = true
        }
    }

    /// Adjusts the offset after the first bytes were removed.
    mutating func drop(_ count: Int) {
        position = max(position - count, 0)
    }

    private mutating func moveBehind(_ byte: UInt8, in bytes: RawSpan) -> Int? {
        let found = bytes.firstOffset(of: byte, from: position)
        position = found.map { $0 + 1 } ?? bytes.byteCount
        return found == nil ? nil : position
    }
}

/// Finds the ends of records, looking at each byte once however the bytes come.
struct RecordScanner {
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")

    let isCSV: Bool
    /// Up to where the bytes have been looked at.
    private var position = 0
    /// Whether that place is inside quotation marks, where a line feed belongs to a field.
    private var isQuoted = false

    init(_ format: BatchFormat, at position: Int = 0) {
        if case .csv = format { isCSV = true } else { isCSV = false }
        self.position = position
    }

    /// Where the next record ends, behind its line feed; nil when its end is not among these bytes.
    ///
    /// The bytes are those of the last call, with more behind them.
    mutating func nextEnd(in bytes: RawSpan) -> Int? {
        guard isCSV else { return moveBehind(Self.lineFeed, in: bytes) }
        // The next line feed, searched for again only when a field has gone beyond it.
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
            // A doubled mark closes and opens again.
            position += mark + 1
            isQuoted = true
        }
    }

    /// Says that the first bytes have gone.
    mutating func drop(_ count: Int) {
        position = max(position - count, 0)
    }

    private mutating func moveBehind(_ byte: UInt8, in bytes: RawSpan) -> Int? {
        let found = bytes.firstOffset(of: byte, from: position)
        position = found.map { $0 + 1 } ?? bytes.byteCount
        return found == nil ? nil : position
    }
}

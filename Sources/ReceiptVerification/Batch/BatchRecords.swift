/// The records of a block, one after the other, as ranges of its bytes.
struct BatchRecords {
    private let bytes: ArraySlice<UInt8>
    private let isCSV: Bool
    private var start = 0
    private var line: Int

    init(_ bytes: ArraySlice<UInt8>, of block: BatchBlock) {
        self.bytes = bytes
        if case .csv = block.format { isCSV = true } else { isCSV = false }
        line = block.firstLine
    }

    /// The next record without its line feed, and the line it begins in; nil at the end.
    mutating func next() -> (record: Range<Int>, line: Int)? {
        let bytes = bytes
        // Safe: a span of UInt8 has no padding, and the bytes are initialised.
        let span = unsafe bytes.span.bytes
        guard start < span.byteCount else { return nil }
        let end = isCSV ? CSV.endOfRecord(in: span, from: start) : span.firstOffset(of: 0x0A, from: start)
        let record = start..<(end ?? span.byteCount)
        let first = line
        line += 1 + (isCSV ? span.extracting(record).count(of: 0x0A) : 0)
        start = record.upperBound + 1
        return (record, first)
    }
}

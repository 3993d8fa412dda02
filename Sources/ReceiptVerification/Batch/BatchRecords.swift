/// Iterates over the records of a block, as ranges of its bytes.
struct BatchRecords {
    private let bytes: ArraySlice<UInt8>
    private var scanner: RecordScanner
    private var start = 0
    private var line: Int
    private var number: Int
    /// Whether the last record ends inside quotation marks, because the source does.
    private(set) var endsInQuotes = false

    /// The number of bytes in the records so far.
    var byteCount: Int { start }
    /// The number of the line after the records so far.
    var nextLine: Int { line }

    init(_ bytes: ArraySlice<UInt8>, of block: BatchBlock) {
        self.bytes = bytes
        scanner = RecordScanner(block.format, delimiter: block.header?.delimiter)
        line = block.firstLine
        number = block.firstRecord
    }

    /// Returns the next record without its line feed, its number and the number of its first line; nil at the end.
    mutating func next() -> (record: Range<Int>, number: Int, line: Int)? {
        let bytes = bytes
        // Safe: a span of UInt8 has no padding, and the bytes are initialised.
        let span = unsafe bytes.span.bytes
        guard start < span.byteCount else { return nil }
        let end = scanner.nextEnd(in: span)
        endsInQuotes = end == nil && scanner.isQuoted
        let record = start..<(end.map { $0 - 1 } ?? span.byteCount)
        defer { number += 1 }
        let first = line
        // A quoted field of CSV can contain line feeds.
        line += 1 + (scanner.isCSV ? span.extracting(record).count(of: 0x0A) : 0)
        start = end ?? span.byteCount
        return (record, number, first)
    }
}

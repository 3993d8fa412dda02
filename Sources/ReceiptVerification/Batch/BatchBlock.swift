/// A run of complete records: the unit of work that threads take from a batch.
struct BatchBlock: Sendable {
    enum Content: Sendable {
        /// Records that each end with a line feed, except the last one of a source.
        case records(ArraySlice<UInt8>)
        /// A source that is one receipt.
        case whole([UInt8])
        /// A record that exceeds the limit; its bytes were not kept.
        case oversized(byteCount: Int)
    }

    var source: String
    var format: BatchFormat
    /// The column of the receipt, counted from 0; only for CSV.
    var column: Int = 0
    var firstLine: Int
    var content: Content
    /// The position at which the block ends.
    ///
    /// The source's number is set by the reader of all sources.
    var end: BatchPosition

    /// The number of bytes that the block keeps in memory.
    var byteCount: Int {
        switch content {
        case .records(let bytes): bytes.count
        case .whole(let bytes): bytes.count
        case .oversized: 0
        }
    }
}

/// Results of one block: all of them, or a part if they are long.
struct BatchOutput: Sendable {
    /// The result lines.
    var lines: [UInt8] = []
    var summary = BatchSummary()
    /// The position after the last record with a result in ``lines``.
    var end = BatchPosition()
}

/// A run of whole records, the unit in which a batch is shared out.
struct BatchBlock: Sendable {
    enum Content: Sendable {
        /// Records that each end with a line feed, save the last one of a source.
        case records(ArraySlice<UInt8>)
        /// One receipt.
        case whole([UInt8])
        /// A record that is longer than any is allowed to be; its bytes are gone.
        case oversized(byteCount: Int)
    }

    var source: String
    var format: BatchFormat
    /// The column of the receipt in CSV.
    var column: Int = 0
    var firstLine: Int
    var content: Content
    /// Where the block ends, once its source's number is known.
    var end: BatchPosition
}

/// The results of one block.
struct BatchOutput: Sendable {
    /// The result lines.
    var lines: [UInt8] = []
    var summary = BatchSummary()
    /// The position at which the block ends.
    var end = BatchPosition()
}

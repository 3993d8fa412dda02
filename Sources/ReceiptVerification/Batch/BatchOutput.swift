/// What the receipts of one block have given.
struct BatchOutput: Sendable {
    /// Lines of results.
    var lines: [UInt8] = []
    var summary = BatchSummary()
    /// Where the block ends.
    var end = BatchPosition()
}

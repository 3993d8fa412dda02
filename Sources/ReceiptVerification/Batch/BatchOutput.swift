/// The results of one block.
struct BatchOutput: Sendable {
    /// The result lines.
    var lines: [UInt8] = []
    var summary = BatchSummary()
    /// The position at which the block ends.
    var end = BatchPosition()
}

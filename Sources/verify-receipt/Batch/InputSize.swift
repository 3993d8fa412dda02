internal import CommandLineInterface
internal import ReceiptVerification

/// The sizes of all inputs of a batch, if all are regular files.
struct InputSize {
    /// The number of bytes before each input, and in all inputs.
    private let starts: [Int64]
    private let total: Int64

    /// Returns nil if the size of an input is not known.
    init?(_ inputs: [BatchInput]) {
        var starts: [Int64] = []
        var total: Int64 = 0
        for input in inputs {
            guard let size = input.status.flatMap({ Int64(exactly: $0.size) }) else { return nil }
            starts.append(total)
            let (sum, isOverflow) = total.addingReportingOverflow(size)
            guard !isOverflow else { return nil }
            total = sum
        }
        self.starts = starts
        self.total = total
    }

    /// Returns the share of the bytes before a position, from 0 to 1.
    func share(at position: BatchPosition) -> Double {
        guard total > 0, starts.indices.contains(position.source) else { return total > 0 ? 1 : 0 }
        return min((Double(starts[position.source]) + Double(position.offset)) / Double(total), 1)
    }
}

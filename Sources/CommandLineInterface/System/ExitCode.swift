package import ReceiptTypes

/// The exit code of a tool. The numbers never change.
package enum ExitCode: Int32, Sendable {
    /// Every result is positive, or the command did its work.
    case success = 0
    /// At least one result is negative, such as an unverified receipt.
    case negative = 1
    /// The command line, a file or the configuration cannot be used.
    case unusable = 2
    /// At least one result could not be decided, and none is negative.
    case undecided = 3
    /// Something that is not the tool's is in the place of one of its files; nothing was read or changed.
    case foreign = 4

    /// The exit code for one verdict.
    package init(_ verdict: Verdict) {
        self =
            switch verdict {
            case .verified: .success
            case .unverified: .negative
            case .undecided: .undecided
            }
    }

    /// The code for two results together: the worse one, in the order unusable, foreign, negative, undecided, success.
    package func combined(with other: ExitCode) -> ExitCode {
        let order: [ExitCode] = [.unusable, .foreign, .negative, .undecided, .success]
        return order.first { $0 == self || $0 == other } ?? .success
    }
}

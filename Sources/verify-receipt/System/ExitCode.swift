internal import ReceiptTypes

/// What the tool tells its caller; the numbers are fixed for ever.
enum ExitCode: Int32, Sendable {
    case verified = 0
    case unverified = 1
    case unusable = 2
    case undecided = 3

    init(_ verdict: Verdict) {
        self =
            switch verdict {
            case .verified: .verified
            case .unverified: .unverified
            case .undecided: .undecided
            }
    }

    /// The code for two results: what is unverified outweighs what is undecided, and both outweigh what is verified.
    func combined(with other: ExitCode) -> ExitCode {
        let order: [ExitCode] = [.unusable, .unverified, .undecided, .verified]
        return order.first { $0 == self || $0 == other } ?? .verified
    }
}

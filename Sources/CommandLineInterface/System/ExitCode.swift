/// What a tool tells its caller; the numbers are fixed for ever.
package enum ExitCode: Int32, Sendable {
    /// Everything is as it was asked for.
    case success = 0
    /// The answer is no.
    case refused = 1
    /// The command line, a file or the configuration cannot be used.
    case unusable = 2
    /// There is no answer.
    case undecided = 3

    /// The code for two results: what is refused outweighs what is undecided, and both outweigh success.
    package func combined(with other: ExitCode) -> ExitCode {
        let order: [ExitCode] = [.unusable, .refused, .undecided, .success]
        return order.first { $0 == self || $0 == other } ?? .success
    }
}

internal import CommandLineInterface
internal import ReceiptTypes

extension ExitCode {
    /// The exit code for one verdict.
    init(_ verdict: Verdict) {
        self =
            switch verdict {
            case .verified: .success
            case .unverified: .negative
            case .undecided: .undecided
            }
    }
}

extension TerminalStyle {
    /// A verdict in its color.
    func verdict(_ verdict: Verdict) -> Escaped {
        switch verdict {
        case .verified: success("\(verdict.rawValue)")
        case .unverified: failure("\(verdict.rawValue)")
        case .undecided: warning("\(verdict.rawValue)")
        }
    }
}

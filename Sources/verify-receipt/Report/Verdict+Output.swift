internal import CommandLineInterface
internal import ReceiptTypes

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

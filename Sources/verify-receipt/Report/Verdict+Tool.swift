internal import CommandLineInterface
internal import ReceiptTypes

extension ExitCode {
    init(_ verdict: Verdict) {
        self =
            switch verdict {
            case .verified: .success
            case .unverified: .refused
            case .undecided: .undecided
            }
    }
}

extension Style {
    func verdict(_ verdict: Verdict) -> String {
        switch verdict {
        case .verified: good(verdict.rawValue)
        case .unverified: bad(verdict.rawValue)
        case .undecided: doubtful(verdict.rawValue)
        }
    }
}

internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `verify`: verifies receipts and prints a summary of each.
struct VerifyCommand {
    let session: Session

    func run() throws -> ExitCode {
        let setup = try VerificationSetup(session.arguments, messages: session.messages)
        let keyCache = try KeyCacheFile(session.arguments, messages: session.messages)
        let verifier = setup.verifier(keyCache: keyCache.cache)
        let text = SummaryText(style: session.style, now: SystemClock.now())
        var code = ExitCode.success
        var kinds: [ReceiptKind] = []
        var missingClaims: [String] = []

        for (index, receipt) in try FoundReceipt.all(in: session.arguments).enumerated() {
            let report = verifier.verify(receipt.input)
            code = code.combined(with: ExitCode(report.verdict))
            if let kind = report.kind {
                kinds.append(kind)
                missingClaims += report.missingClaims
            }
            if session.writesJSON {
                let object = ResultObject.make(
                    source: receipt.source, item: receipt.item, report: report,
                    warnings: PolicyWarning.warnings(for: report, setup.policy)
                )
                try session.writeLine(object, as: .result)
            } else {
                let root =
                    report.verdict == .verified ? SummaryText.rootName(of: receipt.input, among: setup.anchors) : nil
                let lines = text.lines(for: report, title: receipt.title, root: root)
                try session.output.writeLine((index == 0 ? "" : "\n") + lines.joined(separator: "\n"))
            }
        }
        keyCache.saveIfChanged(messages: session.messages)
        keyCache.printStatistics(session.arguments, messages: session.messages)
        try session.output.flush()
        // Warnings concern receipts that were accepted; only these have a kind.
        if !session.writesJSON, !kinds.isEmpty {
            let warnings = PolicyWarning.warnings(for: setup.policy, kinds: kinds)
            for warning in warnings + PolicyWarning.warnings(forMissing: missingClaims) {
                session.messages.warn(warning.message, hint: warning.hint)
            }
        }
        return code
    }
}

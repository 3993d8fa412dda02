internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `verify`: verifies receipts and prints a summary of each.
struct VerifyCommand {
    let session: Session

    func run() throws -> ExitCode {
        let setup = try VerificationSetup(session.arguments, messages: session.messages)
        let redaction = try Redaction.chosen(session.arguments)
        let keyCache = try KeyCacheFile(session.arguments, messages: session.messages)
        let verifier = setup.verifier(keyCache: keyCache.cache)
        let text = SummaryText(style: session.style, now: SystemClock.now())
        var code = ExitCode.success
        var kinds: [ReceiptKind] = []
        var isGivenRootUnconfirmed = false
        var missingClaims: Set<String> = []

        let inputs = try FoundReceipt.forEach(in: session, redaction) { index, receipt in
            let original = verifier.verify(receipt.input)
            let report = redaction?.redacted(original) ?? original
            code = code.combined(with: ExitCode(report.verdict))
            if let kind = report.kind {
                if !kinds.contains(kind) { kinds.append(kind) }
                missingClaims.formUnion(report.missingClaims)
            }
            let warnings = PolicyWarning.warnings(for: setup.policy, report)
            if warnings.contains(where: { $0.code == PolicyWarning.givenRoot.code }) { isGivenRootUnconfirmed = true }
            if session.writesJSON {
                let object = ResultObject.make(
                    source: receipt.source, item: receipt.item, report: report, warnings: warnings
                )
                try session.writeLine(object, as: .result)
            } else {
                let lines = text.lines(for: report, title: receipt.title)
                try session.output.writeLine((index == 0 ? "" : "\n") + lines.joined(separator: "\n"))
            }
        }
        keyCache.saveIfChanged(messages: session.messages)
        keyCache.printStatistics(session.arguments, messages: session.messages)
        try session.output.flush()
        // Warnings concern receipts that were accepted; only these have a kind.
        if !session.writesJSON, !kinds.isEmpty {
            let warnings = PolicyWarning.warnings(for: setup.policy, kinds: kinds)
            let missing = PolicyWarning.warnings(forMissing: missingClaims)
            for warning in warnings + missing + (isGivenRootUnconfirmed ? [PolicyWarning.givenRoot] : []) {
                session.messages.warn(warning.message, hint: warning.hint)
            }
        }
        return code.combined(with: inputs)
    }
}

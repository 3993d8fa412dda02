internal import CommandLineInterface
internal import ReceiptResults
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
        let results = ResultObject(hint: \.hintWithRemedy)
        var warnings = PolicyWarning.Collection(setup.policy)

        try FoundReceipt.forEach(in: session, redaction, playKeys: setup.playKeys) { index, receipt in
            let original = verifier.verify(receipt.input)
            let report = redaction?.redacted(original) ?? original
            session.output.record(ExitCode(report.verdict))
            warnings.add(report)
            if session.writesJSON {
                let object = results.make(
                    source: receipt.source, item: receipt.item, line: receipt.line, report: report,
                    warnings: PolicyWarning.warnings(for: setup.policy, report)
                )
                try session.writeLine(object, as: .result)
            } else {
                let lines = text.lines(for: report, title: receipt.title)
                try session.output.writeLine((index == 0 ? "" : "\n") + Escaped(joining: lines, by: "\n"))
            }
        }
        keyCache.saveIfChanged(messages: session.messages)
        keyCache.printStatistics(session.arguments, messages: session.messages)
        try session.output.flush()
        if !session.writesJSON { warnings.print(session.messages) }
        return session.output.code
    }
}

internal import CommandLineInterface
internal import ReceiptResults
internal import ReceiptTypes
internal import ReceiptVerification

/// `explain`: verifies receipts and prints every check.
struct ExplainCommand {
    let session: Session

    func run() throws -> ExitCode {
        let setup = try VerificationSetup(session.arguments, messages: session.messages)
        let redaction = try Redaction.chosen(session.arguments)
        guard redaction == nil || !session.arguments.mentions(.evidence) else {
            throw UsageError(
                "--evidence cannot be used with --redact: the signed bytes that it writes contain the IDs",
                hint: "leave one of them out")
        }
        let verifier = setup.verifier(keyCache: VerificationKeyCache())
        let text = ExplanationText(style: session.style)
        let results = ResultObject(hint: \.hintWithRemedy)
        var missingClaims: Set<String> = []
        var explained: [(receipt: FoundReceipt, report: ReceiptReport)] = []
        try FoundReceipt.forEach(in: session, redaction, playKeys: setup.playKeys) { index, receipt in
            let original = verifier.explain(receipt.input)
            let report = redaction?.redacted(original) ?? original
            if explained.count < 2 { explained.append((receipt, original)) }
            session.output.record(ExitCode(report.verdict))
            let facts = ReceiptFacts(receipt.input, report, keys: setup.playKeys, redaction)
            if session.writesJSON {
                var object = results.make(
                    source: receipt.source, item: receipt.item, line: receipt.line, report: report,
                    warnings: PolicyWarning.warnings(for: setup.policy, report)
                )
                object["trace"] = ResultObject.trace(report.trace)
                facts.fill(&object)
                try session.writeLine(object, as: .explanation)
            } else {
                if report.verdict == .verified { missingClaims.formUnion(report.missingClaims) }
                let lines = text.lines(for: report, facts, title: receipt.title)
                try session.output.writeLine((index == 0 ? "" : "\n") + Escaped(joining: lines, by: "\n"))
            }
        }
        try session.output.flush()
        for warning in PolicyWarning.warnings(forMissing: missingClaims) {
            session.messages.warn(Escaped(warning.message), hint: Escaped(warning.hint))
        }
        if let path = session.arguments.value(of: .evidence) {
            guard explained.count == 1 else {
                throw UsageError(
                    "--evidence takes one receipt, and the input has more", hint: "pass one receipt at a time")
            }
            try EvidenceFolder(path: path).write(explained[0].receipt, explained[0].report, setup, session.messages)
        }
        return session.output.code
    }
}

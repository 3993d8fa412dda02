internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `explain`: verifies receipts and prints every check.
struct ExplainCommand {
    let session: Session

    func run() throws -> ExitCode {
        let setup = try VerificationSetup(session.arguments, messages: session.messages)
        let verifier = setup.verifier(keyCache: VerificationKeyCache())
        let text = ExplanationText(style: session.style)
        var code = ExitCode.success
        var missingClaims: Set<String> = []
        var receipts: [FoundReceipt] = []
        let inputs = try FoundReceipt.forEach(in: session) { index, receipt in
            let report = verifier.explain(receipt.input)
            if receipts.count < 2 { receipts.append(receipt) }
            code = code.combined(with: ExitCode(report.verdict))
            if session.writesJSON {
                var object = ResultObject.make(
                    source: receipt.source, item: receipt.item, report: report,
                    warnings: PolicyWarning.warnings(for: setup.policy, report)
                )
                object["trace"] = ResultObject.trace(report.trace)
                try session.writeLine(object, as: .explanation)
            } else {
                if report.verdict == .verified { missingClaims.formUnion(report.missingClaims) }
                let lines = text.lines(for: report, title: receipt.title)
                try session.output.writeLine((index == 0 ? "" : "\n") + lines.joined(separator: "\n"))
            }
        }
        try session.output.flush()
        for warning in PolicyWarning.warnings(forMissing: missingClaims) {
            session.messages.warn(warning.message, hint: warning.hint)
        }
        if let path = session.arguments.value(of: .evidence) {
            guard receipts.count == 1 else {
                throw UsageError(
                    "--evidence takes one receipt, and the input has more", hint: "pass one receipt at a time")
            }
            try EvidenceFolder(path: path).write(receipts[0], setup, session.messages)
        }
        return code.combined(with: inputs)
    }
}

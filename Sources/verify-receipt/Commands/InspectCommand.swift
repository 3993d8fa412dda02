internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `inspect`: decodes receipts without verifying them.
struct InspectCommand {
    let session: Session

    func run() throws -> ExitCode {
        try FoundReceipt.forEach(in: session) { index, receipt in
            let inspection = Inspection(receipt.input)
            // Nothing is verified: success means only that every receipt could be decoded.
            if let verdict = inspection.verdict { session.output.record(ExitCode(verdict)) }
            if session.writesJSON {
                try session.writeLine(inspection.json(of: receipt), as: .inspection)
            } else {
                let title: [Escaped] = receipt.title.map { ["unverified  \($0)"] } ?? []
                let lines = title + inspection.lines.map { "\(session.style.warning("unverified"))  \($0)" }
                try session.output.writeLine((index == 0 ? "" : "\n") + Escaped(joining: lines, by: "\n"))
            }
        }
        try session.output.flush()
        session.messages.warn(
            "nothing is verified, and anyone can forge a receipt", hint: "use verify-receipt verify to verify it")
        return session.output.code
    }
}

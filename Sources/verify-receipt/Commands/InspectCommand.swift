internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `inspect`: what receipts say, without any judgement.
struct InspectCommand {
    let session: Session

    func run() throws -> ExitCode {
        var code = ExitCode.success
        for (index, receipt) in try FoundReceipt.all(in: session.arguments).enumerated() {
            let inspection = Inspection(receipt.input)
            // Nothing was judged, so 0 says only that there was something to show.
            if !inspection.isDecoded { code = .refused }
            if session.writesJSON {
                try session.output.writeLine(inspection.json(of: receipt).description)
            } else {
                let title = receipt.title.map { ["unverified  \(Escaped($0))"] } ?? []
                let lines =
                    title
                    + inspection.lines.map { line in
                        session.style.doubtful("unverified") + "  \(Escaped(line))"
                    }
                try session.output.writeLine((index == 0 ? "" : "\n") + lines.joined(separator: "\n"))
            }
        }
        try session.output.flush()
        session.talk.warn(
            "nothing was verified: anybody can write such a text", hint: "verify-receipt verify judges it")
        return code
    }
}

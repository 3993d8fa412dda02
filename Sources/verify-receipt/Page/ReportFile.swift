internal import CommandLineInterface

/// The file of `--report`, which is replaced when its page is complete.
struct ReportFile {
    let output: Output
    private let path: String
    private let messages: Messages

    /// Opens the file after checking that the other flags fit; nil without `--report`.
    ///
    /// - Parameter protectedPaths: The paths of the tool's own files, none of which may be the page.
    init?(_ session: Session, protectedPaths: [String]) throws(UsageError) {
        let arguments = session.arguments
        guard let path = arguments.value(of: .report) else { return nil }
        let others: [Flag] = [
            .withPayload, .fields, .keep, .everyRecord, .lineBuffered, .resume, .countBy, .duplicates, .output,
        ]
        if let other = others.first(where: arguments.mentions) {
            throw UsageError(
                "--report cannot be used with \(other.spelling)",
                hint: other == .resume
                    ? "the page counts all receipts, so start from the beginning"
                    : "it writes a page in place of results")
        }
        guard path != "-" || !arguments.has(.summary) else {
            throw UsageError("--report - cannot be used with --summary", hint: "name a file for the page")
        }
        output = try Output(
            path: path, from: Flag.report.spelling, inputs: arguments.pathsOfInputs,
            protectedPaths: protectedPaths)
        self.path = path
        messages = session.messages
    }

    func write(_ page: ReportPage) throws(Output.Failure) { try output.write(ofData: page.html.text) }

    /// Completes the file under its name.
    func finish() throws(Output.Failure) {
        try output.finish()
        if path != "-" { messages.note("the report is in \(path)") }
    }

    /// Removes the incomplete file.
    func discard() { output.discard() }
}

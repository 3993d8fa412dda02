internal import CommandLineInterface
internal import ReceiptVerification

@main
enum Main {
    static func main() async {
        OpenSSL.beginTool()
        await ToolRun<PaywallPreviewTool>.main()
    }
}

extension PaywallPreviewTool {
    /// Runs the command of a parsed command line.
    static func perform(_ session: Session) async throws -> ExitCode {
        switch session.arguments.command {
        case .serve: return try await ServeCommand(session: session).run()
        }
    }
}

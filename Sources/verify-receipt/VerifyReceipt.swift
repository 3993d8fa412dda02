internal import CommandLineInterface

typealias Arguments = ToolArguments<VerifyReceipt>
typealias Session = ToolSession<VerifyReceipt>

/// The tool `verify-receipt`: arguments in, library, text out.
@main
enum VerifyReceipt: Tool {
    typealias Command = verify_receipt.Command
    typealias Flag = verify_receipt.Flag

    static var name: String { "verify-receipt" }
    static var version: String { "0.1.0" }
    static var defaultCommand: Command { .verify }
    static var resumableCommand: Command? { .batch }

    static var exitCodes: [(code: Int, meaning: String)] {
        [
            (0, "every receipt is verified (or the command did what it was asked)"),
            (1, "at least one receipt is unverified, or a vector differs"),
            (2, "the command line, a file or the configuration cannot be used"),
            (3, "at least one receipt could not be decided, for example for lack of a key; none is unverified"),
            (130, "interrupted"),
        ]
    }

    static func main() async {
        await ToolRun<Self>.main(
            resumptionHint: """

                verify-receipt: interrupted; the same command with --resume goes on from here

                """
        )
    }

    static func perform(_ session: Session) async throws -> ExitCode {
        switch session.arguments.command {
        case .verify: try VerifyCommand(session: session).run()
        case .explain: try ExplainCommand(session: session).run()
        case .inspect: try InspectCommand(session: session).run()
        case .batch: try BatchCommand(session: session).run()
        case .keys: try KeysCommand(session: session).run()
        case .roots: try RootsCommand(session: session).run()
        case .vectors: try VectorsCommand(session: session).run()
        case .mint: try MintCommand(session: session).run()
        }
    }
}

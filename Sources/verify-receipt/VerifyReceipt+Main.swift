internal import CommandLineInterface
internal import ReceiptVerification

@main
enum Main {
    static func main() async {
        OpenSSL.beginTool()
        await ToolRun<VerifyReceipt>.main()
    }
}

extension VerifyReceipt: Tool {
    /// The sealing key, which also runs without a key cache must not replace.
    static func ownPaths(_ arguments: Arguments) -> [String] {
        let folder = try? StateFolder.path(arguments)
        return folder.map { ["\($0)/\(SealingKey.fileName)"] } ?? []
    }

    static func perform(_ session: Session) async throws -> ExitCode {
        if session.arguments.has(.jsonSchema) { return try SchemaCommand(session: session).run() }
        return switch session.arguments.command {
        case .verify: try VerifyCommand(session: session).run()
        case .explain: try ExplainCommand(session: session).run()
        case .inspect: try InspectCommand(session: session).run()
        case .legacyResponse: try LegacyResponseCommand(session: session).run()
        case .batch: try BatchCommand(session: session).run()
        case .codes: try CodesCommand(session: session).run()
        case .keys: try KeysCommand(session: session).run()
        case .roots: try RootsCommand(session: session).run()
        case .vectors: try VectorsCommand(session: session).run()
        case .config: try ConfigCommand(session: session).run()
        case .mint: try MintCommand(session: session).run()
        }
    }
}

internal import CommandLineInterface
internal import PurchaseCore
internal import ReceiptVerification

@main
enum Main {
    static func main() async {
        OpenSSL.beginTool()
        await ToolRun<PurchasesTool>.main()
    }
}

extension PurchasesTool {
    /// Runs the command of a parsed command line.
    static func perform(_ session: Session) async throws -> ExitCode {
        do {
            switch session.arguments.command {
            case .list: return try await ListCommand(session: session).run()
            case .show: return try await ShowCommand(session: session).run()
            case .verify: return try await VerifyCommand(session: session).run()
            case .export: return try await ExportCommand(session: session).run()
            case .importing: return try await ImportCommand(session: session).run()
            case .check: return try await CheckCommand(session: session).run()
            case .repair: return try await RepairCommand(session: session).run()
            case .erase: return try await EraseCommand(session: session).run()
            }
        } catch let error as DatabaseError {
            throw OpenedData.usageError(error)
        }
    }
}

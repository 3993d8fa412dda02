internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptVerification

@main
enum Main {
    static func main() async {
        OpenSSL.beginTool()
        await ToolRun<LocalStoreTool>.main()
    }
}

extension LocalStoreTool {
    static func ownPaths(_ arguments: Arguments) -> [String] { StoreFolder(arguments).paths }

    /// Runs the command of a parsed command line and reports errors of the store.
    static func perform(_ session: Session) async throws -> ExitCode {
        do {
            switch session.arguments.command {
            case .status: try StatusCommand(session: session).run()
            case .initialize: try InitCommand(session: session).run()
            case .lint: return try LintCommand(session: session).run()
            case .products: try ProductsCommand(session: session).run()
            case .accounts: try AccountsCommand(session: session).run()
            case .settings: try SettingsCommand(session: session).run()
            case .buy: try await BuyCommand(session: session).run()
            case .approve, .decline: try PendingPurchaseCommand(session: session).run()
            case .finish, .delete: try TransactionCommand(session: session).run()
            case .renew, .expire, .cancel, .resume, .fail: try SubscriptionCommand(session: session).run()
            case .changePlan: try ChangePlanCommand(session: session).run()
            case .raisePrice: try RaisePriceCommand(session: session).run()
            case .refund: try RefundCommand(session: session).run()
            case .advance: try AdvanceCommand(session: session).run()
            case .list: try ListCommand(session: session).run()
            case .entitlements: try await EntitlementsCommand(session: session).run()
            case .export: try ExportCommand(session: session).run()
            case .simulate: try SimulateCommand(session: session).run()
            }
            return .success
        } catch let error as StoreSimulatorError {
            let store = session.arguments.spelling(of: .store)
            return try StoreErrorReport(error, store: store).write(in: session)
        } catch let error as StoreError {
            return try StoreErrorReport(error).write(in: session)
        }
    }
}

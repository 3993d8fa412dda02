internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore

typealias Arguments = ToolArguments<LocalStoreTool>
typealias Session = ToolSession<LocalStoreTool>

/// The tool `local-store`: arguments in, store, text out.
@main
enum LocalStoreTool: Tool {
    typealias Command = local_store.Command
    typealias Flag = local_store.Flag

    static var name: String { "local-store" }
    static var version: String { "0.1.0" }
    static var defaultCommand: Command { .status }

    static var summary: String { "a store on this machine: sell, renew, refund, and sign it all" }

    static var description: [String] {
        [
            "Plays the App Store from a .storekit file, with a clock of its own and with customers that you make. "
                + "Transactions, renewal infos, notifications and app transactions are signed in the store's format "
                + "under a root of their own, and Google Play purchases too.",
            "A store is a folder (--store): its .storekit file, its keys, which only you can read, and its state in one "
                + "file. Each command changes the state as a whole or not at all. The same commands with the same seed "
                + "give the same store.",
            "Without a command it says where the store stands.",
        ]
    }

    static var exitCodes: [(code: Int, meaning: String)] {
        [
            (0, "the command did what it was asked"),
            (1, "the store refuses what it was asked, or a .storekit file has errors"),
            (2, "the command line, a file or the store's folder cannot be used, or is in use"),
            (130, "interrupted"),
        ]
    }

    static func main() async {
        await ToolRun<Self>.main()
    }
}

extension LocalStoreTool {
    static func perform(_ session: Session) async throws -> ExitCode {
        do {
            switch session.arguments.command {
            case .status: try StatusCommand(session: session).run()
            case .initialize: try InitializeCommand(session: session).run()
            case .lint: return try LintCommand(session: session).run()
            case .products: try ProductsCommand(session: session).run()
            case .accounts: try AccountsCommand(session: session).run()
            case .settings: try SettingsCommand(session: session).run()
            case .buy: try BuyCommand(session: session).run()
            case .approve, .decline: try AnswerCommand(session: session).run()
            case .finish, .delete: try TransactionsCommand(session: session).run()
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
            return try Refusal(error).report(in: session)
        } catch let error as StoreError {
            return try Refusal(error).report(in: session)
        }
    }
}

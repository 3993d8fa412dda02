import Foundation
import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseStorage
import ReceiptTypes

/// Runs the example app of the documentation in a process of its own, which ends at a step that a test chooses.
///
/// `example-app FOLDER STEP` launches the app over the store and the files of its earlier launches in FOLDER, buys what
/// the store has not sold yet, and prints what the customer has then. Before the step with the number STEP it kills
/// itself; 0 is no step. A step is each beginning and end of a call to the store, the ledger, the records or the
/// fulfiller.
@main
enum ExampleApp {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let step = Int(arguments[2]) else { exit(2) }
        do {
            print(try await run(in: arguments[1], killedAt: step))
            // The threads of the app can still use what the end of a process frees.
            fflush(nil)
            _exit(0)
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    @MainActor
    private static func run(in folder: String, killedAt step: Int) async throws -> String {
        let kill = KillSwitch(step)
        let simulator = try simulator(in: folder)
        var setup = try NotesApp.setup(simulator)
        let save = { @Sendable () throws(StoreSimulatorError) in
            try StateFile.write(simulator.durableState, to: "\(folder)/store.state")
        }
        setup.store = KilledStore(base: setup.store, saving: save, kill: kill)
        setup.ledger = { KilledLedger(base: DatabaseLedger($0), kill: kill) }
        let orders = Ledger(path: "\(folder)/ledger", kill: kill)
        setup.fulfiller = orders
        let app = try await NotesApp(setup, in: PurchaseFolder("\(folder)/app"))
        for product in ["notes.export", "notes.coins", "notes.yearly"] where sales(of: product, simulator) == 0 {
            _ = await app.purchases.flow.purchaseProduct(product)
        }
        await app.purchases.refresh()
        let entitlements = app.purchases.entitlements.entitlements
        let entries = try await DatabaseLedger(app.purchases.files.database).entries()
        let stages = entries.map { "\($0.transaction.productID) \($0.stage)" }.sorted()
        let sales = simulator.state.transactions.map(\.productID).sorted()
        return """
            steps \(kill.passed)
            \(try await app.status()), pro \(entitlements.isPro), balances \(entitlements.balances)
            sales \(sales)
            orders \(try orders.orders())
            ledger \(stages)
            """
    }

    @MainActor
    private static func sales(of product: String, _ simulator: StoreSimulator) -> Int {
        simulator.state.transactions.count { $0.productID == product }
    }

    /// The store of an earlier launch an hour later, when claims of a killed process have ended; or a new one.
    @MainActor
    private static func simulator(in folder: String) throws -> StoreSimulator {
        let signer = try SimulatorSigner(folder: "\(folder)/store")
        let configuration = StoreConfiguration(products: NotesApp.products)
        guard let state = try StateFile.read("\(folder)/store.state") else {
            guard let start = Timestamp(rfc3339: "2026-01-01T00:00:00Z") else { exit(2) }
            let app = SimulatedApp(bundleID: "com.example.app")
            return StoreSimulator(
                configuration: configuration, signer: signer,
                state: SimulatorState(seed: 1, now: start, app: app, accounts: ["customer"]))
        }
        let simulator = StoreSimulator(configuration: configuration, signer: signer, state: state)
        try simulator.perform { engine in try engine.advance(byMilliseconds: 3_600_000) }
        return simulator
    }
}

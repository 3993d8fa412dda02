import LocalStore
import PurchaseCore
import PurchaseStorage
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing

/// Two services of an app over one ledger, such as an app and its extension, of which one only listens.
@Suite("Two services over one ledger", .timeLimit(.minutes(15)))
struct TwoServicesTests {
    private static let purchaseCount = 30

    /// Counts the orders for each purchase, and lets the other service run meanwhile.
    private actor Wallet: PurchaseFulfilling {
        private(set) var orders: [PurchaseKey: Int] = [:]

        func fulfil(_ order: FulfilmentOrder) async throws {
            for _ in 0..<20 { await Task.yield() }
            orders[order.key, default: 0] += 1
        }
    }

    private func service(
        _ simulator: StoreSimulator, _ ledger: any PurchaseLedger, _ wallet: Wallet
    ) -> PurchaseService {
        let clock: @Sendable () -> Timestamp = { simulator.state.now }
        let policy = VerificationPolicy(
            apps: [.init(bundleID: simulator.state.app.bundleID)], environments: [simulator.state.app.environment])
        return PurchaseService(
            store: simulator.customer("customer"), ledger: ledger,
            verifier: ReceiptVerifier(policy: policy, trustAnchors: simulator.signer.trustAnchors, clock: clock),
            fulfiller: wallet, environment: PurchaseEnvironment(clock: clock))
    }

    private func buyCoins(over ledger: any PurchaseLedger) async throws {
        let simulator = try SimulatedApp.simulator()
        let wallet = Wallet()
        let (buyer, listener) = (service(simulator, ledger, wallet), service(simulator, ledger, wallet))
        let listening = listener.listenForTransactions { _ in }
        var outcomes: [PurchaseOutcome] = []
        for _ in 0..<Self.purchaseCount {
            outcomes.append(PurchaseResultMapping.outcome(of: await buyer.purchase(productID: "coins")))
        }
        listening.cancel()
        await listening.value
        #expect(outcomes == Array(repeating: .success, count: Self.purchaseCount))
        let orders = await wallet.orders
        #expect(orders.count == Self.purchaseCount)
        #expect(orders.values.allSatisfy { $0 == 1 })
        #expect(try await simulator.customer("customer").unfinishedTransactions().isEmpty)
    }

    @Test("the buyer answers success although the other service hands the purchases over, over one database")
    func overDatabase() async throws {
        let files = TestDatabase()
        try await buyCoins(over: DatabaseLedger(try files.open()))
    }

    @Test("the buyer answers success although the other service hands the purchases over, over one ledger in memory")
    func inMemory() async throws { try await buyCoins(over: InMemoryLedger()) }
}

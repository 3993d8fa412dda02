import LocalStore
import PurchaseStorage
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

@testable import PurchaseCore

/// Two running devices of one customer, each with a ledger of its own. The store delivers what is unfinished to both.
@Suite("Two devices of one customer", .timeLimit(.minutes(15)))
struct TwoDevicesTests {
    private let simulator: StoreSimulator

    init() throws {
        simulator = try SimulatedApp.simulator()
    }

    /// A device: its ledger stays, and each launch of the app has a service of its own.
    private struct Device {
        let files = TestDatabase()
        let database: PurchaseDatabase
        let wallet = Wallet()

        init() throws {
            database = try files.open()
        }
    }

    private actor Wallet: PurchaseFulfilling {
        private(set) var coins = 0

        func fulfil(_ order: FulfilmentOrder) async throws { coins += order.quantity }
    }

    private func launch(_ device: Device, _ store: (any Store)? = nil) -> PurchaseService {
        let clock: @Sendable () -> Timestamp = { [simulator] in simulator.state.now }
        let policy = VerificationPolicy(
            apps: [.init(bundleID: simulator.state.app.bundleID)], environments: [simulator.state.app.environment])
        return PurchaseService(
            store: store ?? simulator.customer("customer"), ledger: DatabaseLedger(device.database),
            verifier: ReceiptVerifier(policy: policy, trustAnchors: simulator.signer.trustAnchors, clock: clock),
            fulfiller: device.wallet, timer: StoppedTimer(),
            uptime: { DeviceUptime(startID: UUIDText("start"), milliseconds: 0) }, clock: clock)
    }

    /// The coins that a device shows: the sum of the recorded purchases.
    private func recorded(_ service: PurchaseService) async throws -> Int {
        try await service.evidence().transactions.latestVersions().map(\.remainingQuantity).reduce(0, +)
    }

    @Test("five coins bought on one of two running devices are recorded and granted there, and five in total")
    func boughtOnOne() async throws {
        let (first, second) = (try Device(), try Device())
        let (buyer, other) = (launch(first), launch(second))
        let listening = [buyer, other].map { $0.listenForTransactions { _ in } }
        for _ in 0..<5 {
            let result = await buyer.purchase(productID: "coins")
            #expect(PurchaseResultMapping.outcome(of: result) == .success)
            await other.resumeUnfinishedPurchases()
            _ = try await other.requestAllPurchaseHistory()
        }
        for task in listening { task.cancel() }
        for task in listening { await task.value }
        #expect(try await recorded(buyer) == 5)
        #expect(try await recorded(other) == 0)
        #expect(await first.wallet.coins == 5)
        #expect(await second.wallet.coins == 0)
        #expect(try await DatabaseLedger(second.database).entries().isEmpty)
    }

    /// A store that sells, and never answers, because the process is killed.
    private struct DyingStore: Store {
        let base: StoreSimulator.Customer
        let onSale: @Sendable () -> Void

        func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
            _ = try await base.purchase(productID, options: options)
            onSale()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw StoreError(.system, "the process was killed")
        }

        func products(for ids: [String]) async throws(StoreError) -> [Product] { try await base.products(for: ids) }
        func updates() -> AsyncStream<StoreUpdate> { AsyncStream.makeStream().stream }
        func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] { [] }
        func currentEntitlements() async throws(StoreError) -> [SignedTransaction] { [] }
        func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] { [] }
        func history() async throws(StoreError) -> [SignedTransaction] { [] }
        func finish(transactionID: String) async throws(StoreError) {}
        func synchronize() async throws(StoreError) {}
        func isEligibleForIntroductoryOffer(groupID: String) async throws(StoreError) -> Bool? { nil }
    }

    /// Buys coins on a device whose process is killed after the customer has paid.
    private func pay(on device: Device) async throws {
        let (sales, sold) = AsyncStream.makeStream(of: Void.self)
        let killed = launch(
            device, DyingStore(base: simulator.customer("customer")) { sold.yield() })
        let purchase = Task { await killed.purchase(productID: "coins") }
        for await _ in sales { break }
        purchase.cancel()
    }

    @Test("coins that were paid before the process was killed are handed over at once on the device that paid")
    func killedAfterPaying() async throws {
        let (first, second) = (try Device(), try Device())
        try await pay(on: first)
        await launch(second).resumeUnfinishedPurchases()
        #expect(await second.wallet.coins == 0)
        await launch(first).resumeUnfinishedPurchases()
        #expect(await first.wallet.coins == 1)
        try simulator.perform { engine in try engine.advance(by: .seconds(7_200)) }
        await launch(second).resumeUnfinishedPurchases()
        #expect(await second.wallet.coins == 0)
    }

    @Test("after an hour another device hands over the coins of a device that has died, and they count once")
    func deadDevice() async throws {
        let (first, second) = (try Device(), try Device())
        try await pay(on: first)
        try simulator.perform { engine in try engine.advance(by: .seconds(3_500)) }
        let other = launch(second)
        await other.resumeUnfinishedPurchases()
        #expect(await second.wallet.coins == 0)
        try simulator.perform { engine in try engine.advance(by: .seconds(100)) }
        await other.resumeUnfinishedPurchases()
        #expect(await second.wallet.coins == 1)
        #expect(try await recorded(other) == 1)
        // The first device comes back: the store has nothing unfinished for it.
        await launch(first).resumeUnfinishedPurchases()
        #expect(await first.wallet.coins == 0)
    }
}

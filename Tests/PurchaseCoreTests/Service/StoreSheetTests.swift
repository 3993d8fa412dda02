import LocalStore
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import Testing
import TimerSupport

@Suite("Sheets of the store and purchases begun outside of the app")
struct StoreSheetTests {
    /// A store with promoted purchases, and with a record of its sheets.
    private actor PromotingStore: Store {
        private(set) var sheets: [StoreSheet] = []
        /// Keeps a sheet open.
        let gate = Gate()

        func products(for ids: [String]) async throws(StoreError) -> [Product] { [] }
        func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
            .userCancelled
        }
        nonisolated func updates() -> AsyncStream<StoreUpdate> { AsyncStream { $0.finish() } }
        func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] { [] }
        func currentEntitlements() async throws(StoreError) -> [SignedTransaction] { [] }
        func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] { [] }
        func history() async throws(StoreError) -> [SignedTransaction] { [] }
        func finish(transactionID: String) async throws(StoreError) {}
        func synchronize() async throws(StoreError) {}
        func present(_ sheet: StoreSheet) async throws(StoreError) -> StoreSheetAnswer {
            sheets.append(sheet)
            await gate.pass()
            return .cancelled
        }
        nonisolated func purchaseIntents() -> AsyncStream<PurchaseIntent> {
            AsyncStream { continuation in
                continuation.yield(PurchaseIntent(productID: "coins"))
                continuation.yield(PurchaseIntent(productID: "pro.yearly", offerID: "back"))
                continuation.finish()
            }
        }
    }

    @Test("promoted purchases and sheets pass through the service, also over a platform's verdicts")
    func passThrough() async throws {
        let store = PromotingStore()
        await store.gate.open()
        let platform = PlatformStore(store)
        let service = PurchaseService(
            store: platform, verifier: platform.verifier, environment: PurchaseEnvironment(timer: StoppedTimer()))
        var intents: [PurchaseIntent] = []
        for await intent in service.purchaseIntents() { intents.append(intent) }
        #expect(intents.map(\.productID) == ["coins", "pro.yearly"] && intents.map(\.offerID) == [nil, "back"])
        for sheet in [StoreSheet.redeemCode, .manageSubscriptions(groupID: "group")] {
            #expect(try await service.present(sheet) == .cancelled)
        }
        #expect(await store.sheets == [.redeemCode, .manageSubscriptions(groupID: "group")])
    }

    @Test("a sheet may be open for as long as a purchase takes, and not only for a query", .timeLimit(.minutes(15)))
    func deadline() async throws {
        let store = PromotingStore()
        let timer = ManualTimer()
        let deadlines = PurchaseDeadlines(purchaseMilliseconds: 700_000)
        let service = PurchaseService(
            store: store, verifier: ScriptedVerifier(), deadlines: deadlines,
            environment: PurchaseEnvironment(timer: timer))
        let sheet = Task { try await service.present(.redeemCode) }
        await store.gate.arrived()
        await timer.started(deadlines.purchaseMilliseconds)
        timer.advance(by: deadlines.purchaseMilliseconds)
        await #expect(throws: StoreError(.timedOut, "")) { try await sheet.value }
        await store.gate.open()
    }

    @Test("a store without sheets reports them as unsupported, and its promoted purchases end at once")
    func defaults() async throws {
        let store = ScriptedStore()
        let service = PurchaseService(
            store: store, verifier: store.verifier, environment: PurchaseEnvironment(timer: StoppedTimer()))
        await #expect(throws: StoreError(.unsupported, "")) { try await service.present(.redeemCode) }
        for await intent in service.purchaseIntents() { Issue.record("\(intent)") }
    }

    @Test("the simulator's refund sheet requests a refund, its other sheets are closed, and errors are simulated")
    func simulator() async throws {
        let platform = try SimulatedPlatform()
        let service = PurchaseService(
            simulator: platform.simulator, environment: PurchaseEnvironment(timer: StoppedTimer()))
        _ = await service.purchase(productID: "template.a")
        let bought = try #require(platform.simulator.state.transactions.first)
        #expect(try await service.present(.requestRefund(transactionID: bought.id)) == .completed)
        #expect(platform.simulator.state.notifications.last?.type == .consumptionRequest)
        #expect(try await service.present(.manageSubscriptions(groupID: nil)) == .cancelled)
        #expect(try await service.present(.redeemCode) == .cancelled)
        await #expect(throws: StoreError.self) { try await service.present(.requestRefund(transactionID: "unknown")) }
        try platform.simulator.perform { engine in
            engine.updateSettings { $0.simulatedErrors[.offerCodeRedeemSheet] = "networkError" }
        }
        await #expect(throws: StoreError(.network, "")) { try await service.present(.redeemCode) }
    }
}

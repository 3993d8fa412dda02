import LocalStore
import PurchaseCore
import PurchaseStorage
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import TimerSupport

/// An app that sells three products on the simulator and keeps its ledger in a database.
struct SimulatedApp {
    static let start = Timestamp(milliseconds: 1_760_000_000_000) ?? .minimum
    static let catalog = TemplatePriceCatalog(version: 1, proProductIDs: ["pro.yearly", "pro.lifetime"])

    static func simulator() throws -> StoreSimulator {
        let products = [
            ConfiguredProduct(
                id: "pro.yearly", type: .autoRenewableSubscription, price: Milliunits(19_990),
                subscription: ConfiguredSubscription(groupID: "pro", level: 1, period: .year)),
            ConfiguredProduct(id: "pro.lifetime", type: .nonConsumable, price: Milliunits(49_990)),
            ConfiguredProduct(id: "coins", type: .consumable, price: Milliunits(990)),
        ]
        let state = SimulatorState(
            seed: 1, now: start, app: .init(bundleID: "com.example.app"), accounts: ["customer"])
        return StoreSimulator(
            configuration: StoreConfiguration(products: products), signer: try SimulatorSigner(), state: state)
    }

    let service: PurchaseService
    private let simulator: StoreSimulator

    /// Launches the app over a database; while it is offline, no call to the store succeeds.
    init(
        _ simulator: StoreSimulator, _ database: PurchaseDatabase, isOnline: Bool = true, user: AppUser = .noAccounts
    ) {
        self.simulator = simulator
        let clock: @Sendable () -> Timestamp = { simulator.state.now }
        let policy = VerificationPolicy(
            apps: [.init(bundleID: simulator.state.app.bundleID)], environments: [simulator.state.app.environment])
        service = PurchaseService(
            store: isOnline ? simulator.customer("customer") : OfflineStore(),
            ledger: DatabaseLedger(database),
            verifier: ReceiptVerifier(policy: policy, trustAnchors: simulator.signer.trustAnchors, clock: clock),
            user: user, environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock))
    }

    var isPro: Bool {
        get async throws {
            let evidence = try await service.evidence()
            return EntitlementProjection(catalog: Self.catalog)
                .entitlements(from: evidence, clock: simulator.state.now).isPro
        }
    }
}

/// A store that cannot be reached.
struct OfflineStore: Store {
    private static let error = StoreError(.network, "offline")

    func products(for ids: [String]) async throws(StoreError) -> [Product] { throw Self.error }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        throw Self.error
    }

    func updates() -> AsyncStream<StoreUpdate> { AsyncStream { $0.finish() } }
    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] { throw Self.error }
    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] { throw Self.error }
    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] { throw Self.error }
    func history() async throws(StoreError) -> [SignedTransaction] { throw Self.error }
    func finish(transactionID: String) async throws(StoreError) { throw Self.error }
    func synchronize() async throws(StoreError) { throw Self.error }
}

import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// A simulator that stands for the platform: it signs real JWS, and rejects the deliveries that a test names.
struct SimulatedPlatform {
    static let products = [
        ConfiguredProduct(id: "coins", type: .consumable, price: Milliunits(990)),
        ConfiguredProduct(id: "template.a", type: .nonConsumable, price: Milliunits(2990), isFamilyShareable: true),
        ConfiguredProduct(id: "pro.season", type: .nonRenewingSubscription, price: Milliunits(4990)),
        subscription("pro.monthly", .month, level: 2, price: 3990) {
            $0.introductoryOffers = [ConfiguredOffer(paymentMode: .freeTrial, period: .week)]
            $0.promotionalOffers = [
                ConfiguredOffer(
                    id: "half", paymentMode: .payAsYouGo, period: .month, periodCount: 3, price: Milliunits(1990))
            ]
            $0.winBackOffers = [
                ConfiguredOffer(id: "back", paymentMode: .payUpFront, period: .month, price: Milliunits(1000))
            ]
        },
        subscription("pro.yearly", .year, level: 1, price: 39_990),
    ]

    private static func subscription(
        _ id: String, _ period: BillingPeriod, level: Int, price: Int64,
        _ change: (inout ConfiguredSubscription) -> Void = { _ in }
    ) -> ConfiguredProduct {
        var terms = ConfiguredSubscription(groupID: "group", level: level, period: period)
        change(&terms)
        return ConfiguredProduct(
            id: id, type: .autoRenewableSubscription, price: Milliunits(price), subscription: terms)
    }

    let simulator: StoreSimulator
    let ledger = InMemoryLedger()

    /// Creates a platform; a test that needs many passes a signer, because new keys take long.
    init(signer: SimulatorSigner? = nil, _ change: (inout StoreSettings) -> Void = { _ in }) throws {
        var settings = StoreSettings()
        change(&settings)
        simulator = StoreSimulator(
            configuration: StoreConfiguration(products: Self.products), signer: try signer ?? SimulatorSigner(),
            state: SimulatorState(
                seed: 1, now: Sample.at(0), app: SimulatedApp(bundleID: "com.example.app"), settings: settings,
                accounts: ["customer"]))
    }

    var verifier: ReceiptVerifier {
        ReceiptVerifier(trustAnchors: simulator.signer.trustAnchors, clock: { .maximum })
    }

    /// Launches the app over the ledger, with the platform's verdict in place of a verifier of signatures.
    func launch(
        trustsLedger: Bool = true, isOnline: Bool = true, ledger: (any PurchaseLedger)? = nil
    ) -> PurchaseService {
        let simulator = simulator
        let device: any Store = isOnline ? simulator.customer("customer") : UnreachableStore()
        let store = PlatformStore(device, trustsLedger: trustsLedger)
        return PurchaseService(
            store: store, ledger: ledger ?? self.ledger, verifier: store.verifier,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
    }

    func entitlements(_ service: PurchaseService) async throws -> Entitlements {
        let evidence = try await service.evidence()
        return EntitlementProjection(catalog: Sample.catalog).entitlements(
            from: evidence.transactions, renewalInfos: evidence.renewalInfos, at: simulator.state.now,
            isStoreReachable: evidence.isStoreReachable)
    }
}

/// A store that cannot be reached.
struct UnreachableStore: Store {
    private static let offline = StoreError(.network, "the store cannot be reached")

    func products(for ids: [String]) async throws(StoreError) -> [Product] { throw Self.offline }
    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        throw Self.offline
    }
    func updates() -> AsyncStream<StoreUpdate> { AsyncStream { $0.finish() } }
    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] { throw Self.offline }
    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] { throw Self.offline }
    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] { throw Self.offline }
    func history() async throws(StoreError) -> [SignedTransaction] { throw Self.offline }
    func finish(transactionID: String) async throws(StoreError) { throw Self.offline }
    func synchronize() async throws(StoreError) { throw Self.offline }
}

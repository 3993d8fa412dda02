import Foundation
import LocalStore
import Paywall
import PurchaseCore
import PurchaseSimulation
import PurchaseStorage
import ReceiptTypes
import TimerSupport

/// An installed app with a paywall, over the real simulator, verifier and database.
@MainActor
final class PaywallApp {
    nonisolated static let export = "com.example.export"
    nonisolated static let yearly = "com.example.pro.yearly"

    nonisolated static func simulator(faults: FaultPlan = .none) throws -> StoreSimulator {
        let products = [
            ConfiguredProduct(id: export, type: .nonConsumable, price: Milliunits(4_990)),
            ConfiguredProduct(
                id: yearly, type: .autoRenewableSubscription, price: Milliunits(39_990),
                subscription: ConfiguredSubscription(groupID: "pro", level: 1, period: .year)),
        ]
        let state = SimulatorState(
            seed: 1, now: SetClock.start, app: SimulatedApp(bundleID: "com.example.app"), accounts: ["customer"])
        return StoreSimulator(
            configuration: StoreConfiguration(products: products), signer: try ShopApp.signer.get(), state: state,
            faults: faults)
    }

    let simulator: StoreSimulator
    let service: PurchaseService
    let entitlements: EntitlementStore
    let flow: OneTimePurchaseFlow
    let gating: FeatureGatingService
    let queue: DatabaseAnalytics
    let analytics: StoredPaywallAnalytics
    let coordinator: PaywallCoordinator
    private let folder: URL

    /// Installs and launches the app.
    init(_ simulator: StoreSimulator) throws {
        self.simulator = simulator
        folder = FileManager.default.temporaryDirectory.appending(path: "paywall-\(UUID().uuidString)")
        let database = try PurchaseDatabase(
            path: folder.appending(path: "purchases.sqlite").path(), key: Array(repeating: 7, count: 32))
        let catalog = TemplatePriceCatalog(
            version: 1, proProductIDs: [Self.yearly],
            features: try FeatureCatalog([
                FeatureDefinition(
                    id: "export", name: "Export", level: .premium, productIDs: [Self.export, Self.yearly])
            ]))
        let clock = simulator.clock
        service = PurchaseService(
            simulator: simulator, ledger: DatabaseLedger(database),
            environment: PurchaseEnvironment(timer: StoppedTimer()))
        // Its timer repeats nothing, so what the customer has changes only when the store or a test says so.
        entitlements = EntitlementStore(
            service: service, catalog: catalog, environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock))
        gating = FeatureGatingService(entitlements: entitlements, environment: PurchaseEnvironment(clock: clock))
        flow = OneTimePurchaseFlow(
            service: service,
            records: PurchaseRecords(
                DatabaseLedger(database), user: .noAccounts, catalog: nil,
                environment: PurchaseEnvironment(clock: clock)),
            entitlements: entitlements, confirmation: ConfirmedByStore(),
            environment: PurchaseEnvironment(timer: StoppedTimer()))
        queue = DatabaseAnalytics(database, user: .noAccounts, environment: PurchaseEnvironment(clock: clock))
        analytics = StoredPaywallAnalytics(queue: queue, timer: StoppedTimer(), clock: clock)
        let offer = Offer(
            id: .a, layoutVariant: "cards", plans: [Plan(id: Self.yearly, displayPrice: "", period: "year")],
            defaultPlanID: Self.yearly)
        let views = PaywallViewCounter(file: InMemoryPaywallFile(), timer: StoppedTimer(), clock: clock)
        coordinator = PaywallCoordinator(
            services: PaywallServices(
                entitlement: entitlements, purchase: OneTimePurchaseManager(flow), analytics: analytics,
                products: PurchaseRepository(service: service, environment: PurchaseEnvironment(timer: StoppedTimer())),
                timer: StoppedTimer()),
            remoteConfig: RemoteConfigStore(views: views, defaults: RemoteConfig(offers: [offer])))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Starts everything as an app does at launch.
    func launch() async throws {
        await entitlements.start().value
        await flow.start().value
        try await coordinator.start()
    }

    /// Opens the paywall for the locked feature as a tap on it does; nil if the gate is open or no paywall is shown.
    func useExport() async throws -> PaywallViewModel? {
        if gating.canAccessSync("export") { return nil }
        let paywall = try coordinator.toPaywall(featureID: "export")
        await paywall?.load()
        return paywall
    }

    /// The names of the stored events of the paywall. The event store has those of recorded purchases too.
    func events() async throws -> [String] {
        await analytics.flush()
        let names = try await queue.waitingEvents(limit: 100).map(\.name.rawValue)
        return names.filter { !$0.hasPrefix("purchase-") }
    }

    /// Returns when the flow has reached a step, or when the time limit of the test has cancelled the wait.
    func reached(_ step: PaywallFlowState.Step) async {
        for await state in coordinator.updates() where state.step == step { return }
    }
}

import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// Device clocks that customers set, with the simulator and the real verifier.
@Suite("A device clock that is set")
struct ClockAttackTests {
    private let simulator: StoreSimulator
    private let journal = InMemoryJournal()
    private let clock = ManualClock()

    init() throws {
        let products = [
            ConfiguredProduct(
                id: "pro.yearly", type: .autoRenewableSubscription, price: Milliunits(19_990),
                subscription: ConfiguredSubscription(groupID: "pro", level: 1, period: .year))
        ]
        let state = SimulatorState(
            seed: 1, now: Sample.at(0), app: .init(bundleID: "com.example.app"), accounts: ["customer"])
        simulator = StoreSimulator(
            configuration: StoreConfiguration(products: products), signer: try SimulatorSigner(), state: state)
    }

    /// Launches the app: a new service over the same journal.
    private func launch(store: (any Store)? = nil) -> PurchaseService {
        let policy = VerificationPolicy(apps: [.init(bundleID: "com.example.app")])
        let verifier = ReceiptVerifier(policy: policy, trustAnchors: simulator.signer.trustAnchors, clock: clock.now)
        return PurchaseService(
            store: store ?? simulator.customer("customer"), journal: journal, verifier: verifier, timer: StoppedTimer(),
            clock: clock.now)
    }

    private func entitlements(_ service: PurchaseService) async throws -> Entitlements {
        let catalog = TemplatePriceCatalog(version: 1, proProductIDs: ["pro.yearly"])
        return EntitlementProjection(catalog: catalog)
            .entitlements(from: try await service.evidence(), clock: clock.now())
    }

    @Test("[defect 9] a clock set back while the store answers does not lengthen a cancelled subscription")
    func setBackOnline() async throws {
        _ = await launch().purchase(productID: "pro.yearly")
        try simulator.perform { try $0.advance(byMilliseconds: 10 * Sample.day) }
        let subscription = try #require(simulator.state.subscriptions.first?.id)
        try simulator.perform { try $0.cancelRenewal(subscription) }
        clock.set(Sample.at(day: 10))
        #expect(try await entitlements(launch()).isPro)
        clock.set(Sample.at(10 * Sample.day + 3_600_000))
        try simulator.perform { try $0.advance(byMilliseconds: 400 * Sample.day) }
        let ended = try await entitlements(launch())
        #expect(!ended.isPro)
        #expect(ended.denials == ["pro.yearly": .expired])
    }

    @Test("[defect 9] a clock that was ahead while the store answered denies nothing offline after it is corrected")
    func aheadOnline() async throws {
        _ = await launch().purchase(productID: "pro.yearly")
        clock.set(Sample.at(day: 400))
        #expect(try await entitlements(launch()).isPro, "the store lists it")
        clock.set(Sample.at(day: 1))
        let offline = ScriptedStore()
        await offline.fail(StoreError(.network, "down"))
        for day in 1...3 {
            clock.set(Sample.at(day: day))
            #expect(try await entitlements(launch(store: offline)).isPro)
        }
    }
}

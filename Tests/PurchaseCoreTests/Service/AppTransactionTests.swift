import LocalStore
import PurchaseCore
import PurchaseSimulation
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// The app transaction of the store, for customers that bought the app before it became free.
@Suite("App transactions", .timeLimit(.minutes(15)))
struct AppTransactionTests {
    private static let catalog = TemplatePriceCatalog(
        version: 1, proProductIDs: ["pro.lifetime"], templateProductToID: ["template.a": TemplateID(rawValue: "A")],
        grandfathered: [GrandfatheredProduct("pro.lifetime", before: AppVersion(3))])

    private let simulator: StoreSimulator
    private let ledger = InMemoryLedger()

    init() throws { simulator = try SimulatedPlatform().simulator }

    private func launch(
        _ verifier: (any TransactionVerifying)? = nil, store: (any Store)? = nil, user: AppUser = .noAccounts
    ) -> PurchaseService {
        PurchaseService(
            store: store ?? simulator.customer("customer"), ledger: ledger,
            verifier: verifier ?? simulator.receiptVerifier, user: user,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: simulator.clock))
    }

    private func entitlements(_ service: PurchaseService) async throws -> Entitlements {
        EntitlementProjection(catalog: Self.catalog).entitlements(
            from: try await service.evidence(), clock: simulator.state.now)
    }

    @Test("the app transaction of a customer that had the app before it became free unlocks, also offline and later")
    func unlocks() async throws {
        let service = launch()
        #expect(try await !entitlements(service).isPro)
        let restored = try #require(try await service.restoreAppTransaction()?.verifiedPayload)
        #expect(restored.app.bundleID == "com.example.app" && restored.app.originalAppVersion == "1.0")
        #expect(restored.restored.isEmpty && restored.consumableCount == 0)
        let entitlements = try await entitlements(service)
        #expect(entitlements.isPro && entitlements.grounds[.pro]?.map(\.kind) == [.lifetime])
        simulator.isOnline = false
        #expect(try await self.entitlements(launch()).isPro)
        await #expect(throws: StoreError.self) { try await launch().restoreAppTransaction() }
    }

    @Test("an app transaction that is restored again replaces the earlier one")
    func again() async throws {
        let service = launch()
        for _ in 0..<3 {
            _ = try await service.restoreAppTransaction()
            try simulator.perform { try $0.advance(byMilliseconds: Sample.day) }
        }
        #expect(try await service.evidence().appPurchases.count == 1)
        // An import of the exported entry records it under the same id.
        let jws = try simulator.signedAppTransaction(for: "customer")
        let payload = try #require(
            await simulator.receiptVerifier.verifyAppReceipt(SignedAppReceipt(base64: jws), at: simulator.state.now)
                .verifiedPayload)
        let imported = try #require(Transaction(recording: payload, isAppTransaction: true))
        #expect(try await ledger.entries().map(\.transaction.transactionID).contains(imported.id))
        #expect(try await ledger.entries().filter { $0.stage >= .recorded }.count == 1)
    }

    @Test("an app transaction that the store objects to, or that does not verify, leaves nothing behind")
    func rejected() async throws {
        try simulator.perform { $0.updateSettings { $0.simulatedErrors[.verification] = "other device" } }
        #expect(try await launch().restoreAppTransaction()?.failure?.code == .storeObjection)
        try simulator.perform { $0.updateSettings { $0.simulatedErrors[.verification] = nil } }
        let stranger = try SimulatedPlatform().simulator
        #expect(try await launch(stranger.receiptVerifier).restoreAppTransaction()?.failure != nil)
        var otherApp = simulator.receiptVerifier
        otherApp.policy.apps = [.init(bundleID: "com.example.other")]
        #expect(try await launch(otherApp).restoreAppTransaction()?.failure?.code == .bundleIDMismatch)
        var noApp = simulator.receiptVerifier
        noApp.policy.apps = []
        #expect(try await launch(noApp).restoreAppTransaction()?.failure?.code == .receiptBindingUnchecked)
        #expect(try await launch(user: .signedOut).restoreAppTransaction()?.failure?.code == .accountMismatch)
        #expect(try await ledger.entries().isEmpty)
        #expect(try await !entitlements(launch()).isPro)
    }

    @Test("an app transaction from elsewhere is not accepted as an app receipt: it can be another customer's")
    func notAsReceipt() async throws {
        let jws = try simulator.signedAppTransaction(for: "customer")
        let result = try await launch().restore(appReceipt: [UInt8](jws.utf8))
        #expect(result.failure?.code == .receiptBindingUnchecked)
        #expect(try await ledger.entries().isEmpty)
    }

    @Test("an app transaction and an app receipt stand beside each other, in any order", arguments: [true, false])
    func besideReceipt(isReceiptFirst: Bool) async throws {
        try simulator.perform { _ = try $0.buy("template.a", for: "customer") }
        let receipt = [UInt8](try simulator.appReceipt(for: "customer").utf8)
        var anchors = simulator.signer.trustAnchors
        try anchors.add(try simulator.signer.appReceiptRootCertificate)
        let policy = VerificationPolicy(
            apps: [.init(bundleID: "com.example.app")], device: DeviceID("00000000-0000-0000-0000-000000000000"))
        let verifier = ReceiptVerifier(policy: policy, trustAnchors: anchors, clock: simulator.clock)
        let service = launch(verifier)
        simulator.isOnline = false
        if isReceiptFirst { #expect(try await service.restore(appReceipt: receipt).verifiedPayload != nil) }
        simulator.isOnline = true
        try simulator.perform { try $0.advance(byMilliseconds: Sample.day) }
        #expect(try await service.restoreAppTransaction()?.verifiedPayload != nil)
        simulator.isOnline = false
        if !isReceiptFirst { #expect(try await service.restore(appReceipt: receipt).verifiedPayload != nil) }
        let entitlements = try await entitlements(launch(verifier))
        #expect(entitlements.isPro && entitlements.grants(.template(TemplateID(rawValue: "A"))))
        #expect(try await service.evidence().appPurchases.count == 2)
    }

    @Test("the platform's verdict on an app transaction counts; without it, the ledger has to be trusted")
    func platform() async throws {
        let platform = PlatformStore(simulator.customer("customer"), trustsLedger: false)
        let service = launch(platform.verifier, store: platform)
        #expect(try await service.restoreAppTransaction()?.verifiedPayload != nil)
        #expect(try await entitlements(service).isPro)
        for trustsLedger in [true, false] {
            let later = PlatformStore(simulator.customer("customer"), trustsLedger: trustsLedger)
            #expect(try await entitlements(launch(later.verifier, store: later)).isPro == trustsLedger)
        }
    }

    @Test("a store without an app transaction has none to restore")
    func noStore() async throws {
        #expect(try await launch(store: ScriptedStore()).restoreAppTransaction() == nil)
    }
}

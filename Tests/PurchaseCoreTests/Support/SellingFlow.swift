import PurchaseCore
import ReceiptTypes
import TimerSupport

/// A one-time purchase flow over a scripted store, with its purchases in memory.
@MainActor
struct SellingFlow {
    let harness: ServiceHarness
    let records: PurchaseRecords
    /// The ledger that the records read, which a test can make fail.
    let ledger: HeldLedger
    let entitlements: EntitlementStore
    let dialogue = ScriptedDialogue()
    /// The timer of the flow; the harness has that of the service.
    let timer = ManualTimer()
    let flow: OneTimePurchaseFlow

    /// - Parameters:
    ///   - account: The account that is signed in, whose purchases the records are; nil for an app without accounts.
    init(
        account: UUIDText? = nil, purchaseLimit: Int = 10,
        catalog: TemplatePriceCatalog = Sample.catalog,
        flags: @escaping @Sendable () -> FeatureFlags = { .allEnabled }
    ) {
        harness = ServiceHarness(
            account: account,
            pacing: PurchasePacing(
                purchases: RateLimiter(
                    RateLimit(count: purchaseLimit, perMilliseconds: 60_000),
                    environment: PurchaseEnvironment(uptime: { .test(0) })),
                restores: RateLimiter(
                    RateLimit(count: 100, perMilliseconds: 60_000),
                    environment: PurchaseEnvironment(uptime: { .test(0) }))))
        ledger = HeldLedger(base: harness.ledger)
        records = PurchaseRecords(
            ledger, user: account.map { .signedIn($0) } ?? .noAccounts, catalog: catalog,
            environment: PurchaseEnvironment(clock: harness.clock.now))
        entitlements = EntitlementStore(
            service: harness.service, catalog: catalog,
            environment: PurchaseEnvironment(timer: ManualTimer(), clock: harness.clock.now))
        flow = OneTimePurchaseFlow(
            service: harness.service, records: records, entitlements: entitlements, confirmation: dialogue,
            flags: flags, environment: PurchaseEnvironment(log: harness.log, timer: timer, clock: harness.clock.now))
        dialogue.flow = flow
    }
}

/// The customer's answers in the dialogue that confirms a purchase.
@MainActor
final class ScriptedDialogue: PurchaseConfirming {
    var answer = true
    /// Runs while the dialogue is open.
    var whileOpen: (@MainActor () async -> Void)?
    weak var flow: OneTimePurchaseFlow?
    private(set) var proposals: [PurchaseProposal] = []

    func confirm(_ proposal: PurchaseProposal) async -> Bool {
        proposals.append(proposal)
        await whileOpen?()
        return answer
    }
}

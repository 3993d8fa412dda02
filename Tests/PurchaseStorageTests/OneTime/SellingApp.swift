import LocalStore
import PurchaseCore
import PurchaseStorage
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import TimerSupport

/// An app that sells one-time products on the simulator, with its ledger, purchases and products in a database.
@MainActor
struct SellingApp {
    static func catalog() throws -> TemplatePriceCatalog {
        let features = [
            FeatureDefinition(id: "notes", name: "Notes", level: .free),
            FeatureDefinition(id: "export", name: "Export", level: .premium, productIDs: ["export", "suite"]),
            FeatureDefinition(id: "print", name: "Print", level: .premium, productIDs: ["suite"]),
        ]
        return TemplatePriceCatalog(version: 1, proProductIDs: ["lifetime"], features: try FeatureCatalog(features))
    }

    static func simulator(faults: [Fault] = []) throws -> StoreSimulator {
        let products = ["export", "suite", "lifetime"].map {
            ConfiguredProduct(id: $0, type: .nonConsumable, price: Milliunits(4_990))
        }
        let coins = ConfiguredProduct(id: "coins", type: .consumable, price: Milliunits(990))
        let state = SimulatorState(
            seed: 1, now: PurchaseSample.start, app: .init(bundleID: "com.example.app"), accounts: ["customer"])
        return StoreSimulator(
            configuration: StoreConfiguration(products: products + [coins]), signer: try SimulatorSigner(),
            state: state, faults: FaultPlan(faults: faults))
    }

    let simulator: StoreSimulator
    /// The ledger of the service and of the records.
    let ledger: FailingLedger
    let records: PurchaseRecords
    let entitlements: EntitlementStore
    let dialogue = Dialogue()
    let recovery = RecoveryLock(environment: PurchaseEnvironment(timer: StoppedTimer()))
    let log = EventLog()
    let timer = ShortPauses()
    /// Measures the deadlines of the flow; a test ends them.
    let recordTimer = TickTimer()
    let repository: PurchaseRepository
    let flow: OneTimePurchaseFlow

    /// Launches the app over a database; `monitor` is its log instead of the recorder.
    init(
        _ simulator: StoreSimulator, _ database: PurchaseDatabase, sells: Bool = true, restoresPerMinute: Int = 100,
        monitor: (any PurchaseLog)? = nil
    ) throws {
        self.simulator = simulator
        let log: any PurchaseLog = monitor ?? log
        let clock: @Sendable () -> Timestamp = { simulator.state.now }
        let policy = VerificationPolicy(
            apps: [.init(bundleID: simulator.state.app.bundleID)], environments: [simulator.state.app.environment])
        ledger = FailingLedger(DatabaseLedger(database))
        let service = PurchaseService(
            store: simulator.customer("customer"), ledger: ledger,
            verifier: ReceiptVerifier(policy: policy, trustAnchors: simulator.signer.trustAnchors, clock: clock),
            pacing: PurchasePacing(
                restores: RateLimiter(
                    RateLimit(count: restoresPerMinute, perMilliseconds: 60_000),
                    environment: PurchaseEnvironment(uptime: { .test(0) })),
                recovery: recovery),
            environment: PurchaseEnvironment(log: log, timer: StoppedTimer(), clock: clock))
        records = PurchaseRecords(
            ledger, user: .noAccounts, catalog: try Self.catalog(), environment: PurchaseEnvironment(clock: clock))
        entitlements = EntitlementStore(
            service: service, catalog: try Self.catalog(),
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock))
        repository = PurchaseRepository(
            service: service, cache: DatabaseProducts(database, environment: PurchaseEnvironment(clock: clock)),
            platform: .ios, environment: PurchaseEnvironment(log: log, timer: StoppedTimer(), clock: clock))
        flow = OneTimePurchaseFlow(
            service: service, records: records, entitlements: entitlements, confirmation: dialogue,
            repository: repository, flags: { FeatureFlags(purchasesEnabled: sells) },
            retry: NetworkRetry(
                schedule: BackoffSchedule(jitterPercent: 0, attempts: 3, totalMilliseconds: 900_000),
                environment: PurchaseEnvironment(timer: timer, uptime: { .test(0) })),
            platform: .ios, environment: PurchaseEnvironment(log: log, timer: recordTimer, clock: clock))
        dialogue.flow = flow
    }

    /// The number of sales of the store.
    var sales: Int { simulator.state.transactions.count }

    func grants(_ feature: FeatureID) -> Bool { entitlements.entitlements.grants(.feature(feature)) }
}

/// The customer's answers in the dialogue that confirms a purchase.
@MainActor
final class Dialogue: PurchaseConfirming {
    var answer = true
    weak var flow: OneTimePurchaseFlow?
    /// Runs while the dialogue is open.
    var whileOpen: (@MainActor () async -> Void)?
    private(set) var proposals: [PurchaseProposal] = []
    private(set) var steps: [OneTimeActivity.Step?] = []

    func confirm(_ proposal: PurchaseProposal) async -> Bool {
        proposals.append(proposal)
        steps.append(flow?.activity.purchase?.step)
        await whileOpen?()
        return answer
    }
}

/// Records log events.
final class EventLog: PurchaseLog {
    private let recorded = Locked<[PurchaseLogEvent]>([])
    var events: [PurchaseLogEvent] { recorded.withLock { $0 } }
    func log(_ event: PurchaseLogEvent) { recorded.withLock { $0.append(event) } }
}

/// A timer whose pauses of up to a minute end at once, and whose longer waits and deadlines of the database, of 30
/// seconds, end only when they are cancelled.
final class ShortPauses: PurchaseTimer {
    private let recorded = Locked<[Int64]>([])
    /// The lengths of the pauses in milliseconds.
    var pauses: [Int64] { recorded.withLock { $0 } }

    func start(milliseconds: Int64) -> Task<Void, Never> {
        if milliseconds <= 60_000, milliseconds != 30_000 {
            recorded.withLock { $0.append(milliseconds) }
            return Task {}
        }
        let stream = AsyncStream.makeStream(of: Void.self).stream
        return Task { for await _ in stream {} }
    }
}

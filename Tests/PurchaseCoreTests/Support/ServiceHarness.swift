import PurchaseCore
import ReceiptTypes
import TimerSupport

/// A purchase service with a scripted store and verifier, and recorders for everything it calls.
struct ServiceHarness {
    let verifier: ScriptedVerifier
    let store: ScriptedStore
    let ledger = InMemoryLedger()
    let fulfiller = FulfilmentRecorder()
    let log = LogRecorder()
    let clock = ManualClock()
    let timer = ManualTimer()
    let service: PurchaseService

    /// - Parameters:
    ///   - account: The account that is signed in; nil for an app without accounts.
    ///   - pacing: The limits and the lock of the first service.
    init(account: UUIDText? = nil, pacing: PurchasePacing? = nil) {
        verifier = ScriptedVerifier()
        store = ScriptedStore(verifier: verifier)
        service = PurchaseService(
            store: store, ledger: ledger, verifier: verifier, fulfiller: fulfiller, user: Self.user(account),
            pacing: pacing, environment: PurchaseEnvironment(log: log, timer: timer, clock: clock.now))
    }

    /// The log, the timer and the clock of the services.
    var environment: PurchaseEnvironment { PurchaseEnvironment(log: log, timer: timer, clock: clock.now) }

    /// Returns a service of another process over the same store and ledger.
    func restarted(account: UUIDText? = nil) -> PurchaseService { restarted(user: Self.user(account)) }

    func restarted(user: AppUser, ledger: (any PurchaseLedger)? = nil) -> PurchaseService {
        PurchaseService(
            store: store, ledger: ledger ?? self.ledger, verifier: verifier, fulfiller: fulfiller, user: user,
            environment: environment)
    }

    /// Returns a service of an account whose calls of the ledger a simulator interrupts.
    func service(of account: UUIDText, interruptedBy simulator: CrashSimulator) -> PurchaseService {
        PurchaseService(
            store: store, ledger: CrashingLedger(ledger, simulator), verifier: verifier, fulfiller: fulfiller,
            user: Self.user(account), environment: PurchaseEnvironment(timer: timer, clock: clock.now))
    }

    /// Returns an entitlement store of the app over a service, or over the first one.
    func entitlementStore(_ service: (any PurchaseServicing)? = nil) -> EntitlementStore {
        EntitlementStore(
            service: service ?? self.service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock.now))
    }

    private static func user(_ account: UUIDText?) -> AppUser { account.map { .signedIn($0) } ?? .noAccounts }

    /// Listens while `body` runs, and returns what the handler received after every delivery is processed.
    func listening(_ body: () async throws -> Void) async rethrows -> [VerificationResult<Transaction>] {
        let recorder = ListenerRecorder()
        let listener = service.listenForTransactions { await recorder.record($0) }
        try await body()
        store.endUpdates()
        await listener.value
        return await recorder.results
    }

    func entitlements(_ service: PurchaseService? = nil) async throws -> Entitlements {
        let evidence = try await (service ?? self.service).evidence()
        return EntitlementProjection(catalog: Sample.catalog).entitlements(from: evidence, clock: clock.now())
    }

    /// The stage of each ledger entry, by JWS.
    func stages() async throws -> [String: DeliveryStage] {
        Dictionary(
            try await ledger.entries().map { ($0.transaction.signedText, $0.stage) },
            uniquingKeysWith: { first, _ in first })
    }
}

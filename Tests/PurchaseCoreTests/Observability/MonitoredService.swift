import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// A purchase service with a monitor, whose verifier takes as long as a test says.
struct MonitoredService {
    let verifier = ScriptedVerifier()
    let store: ScriptedStore
    let timer = ManualTimer()
    let clock = ManualClock()
    let log = LogRecorder()
    let alerts = AlertRecorder()
    let pace: VerifierPace
    let monitor: PurchaseMonitor
    let service: PurchaseService

    init(cases: any AlertCases = InMemoryAlertCases(), rules: MonitorRules = MonitorRules()) {
        store = ScriptedStore(verifier: verifier)
        pace = VerifierPace(base: verifier, timer: timer)
        monitor = PurchaseMonitor(
            alerts: alerts, cases: cases, rules: rules,
            environment: PurchaseEnvironment(log: log, timer: timer, clock: clock.now))
        service = PurchaseService(
            store: store, ledger: InMemoryLedger(), verifier: pace,
            environment: PurchaseEnvironment(log: monitor, timer: timer, clock: clock.now))
    }

    func slowStages() -> [String?] { log.events.filter { $0.kind == .slowStage }.map { $0.fields["stage"] } }
}

/// A verifier that lets time pass with each verification.
final class VerifierPace: TransactionVerifying {
    private let base: ScriptedVerifier
    private let timer: ManualTimer
    let milliseconds = Locked<Int64>(0)

    init(base: ScriptedVerifier, timer: ManualTimer) {
        self.base = base
        self.timer = timer
    }

    private func pass() { timer.advance(by: milliseconds.withLock { $0 }) }

    func verifyTransaction(_ jws: String, at now: Timestamp) -> VerificationResult<JWSTransactionDecodedPayload> {
        pass()
        return base.verifyTransaction(jws, at: now)
    }

    func verifyRenewalInfo(_ jws: String, at now: Timestamp) -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        base.verifyRenewalInfo(jws, at: now)
    }

    func verifyPlayPurchase(_ purchase: SignedPlayPurchase, at now: Timestamp) -> VerificationResult<Transaction> {
        pass()
        return base.verifyPlayPurchase(purchase, at: now)
    }
}

/// Records alerts, and fails as long as a test says.
final class AlertRecorder: PurchaseAlerting {
    struct Unreachable: Error {}

    private let recorded = Locked<(alerts: [PurchaseAlert], isReachable: Bool)>(([], true))
    private let hangs = Locked(false)
    var all: [PurchaseAlert] { recorded.withLock { $0.alerts } }

    func setReachable(_ isReachable: Bool) { recorded.withLock { $0.isReachable = isReachable } }

    /// Makes each alert hang until it is cancelled.
    func hang() { hangs.withLock { $0 = true } }

    func raise(_ alert: PurchaseAlert) async throws {
        if hangs.withLock({ $0 }) { for await _ in AsyncStream<Void>.makeStream().stream {} }
        let isReachable = recorded.withLock { state in
            if state.isReachable { state.alerts.append(alert) }
            return state.isReachable
        }
        if !isReachable { throw Unreachable() }
    }
}

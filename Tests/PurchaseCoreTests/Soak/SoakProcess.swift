import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes

@testable import ReceiptVerification

/// What the processes of one app share: the store, the device, the ledger, and the app's server.
struct SoakDevice {
    let server: RecordedStore
    let verifier: ReceiptVerifier
    /// Whether the app takes the platform's verdict on a delivery instead of the verifier's.
    let takesPlatformVerdict: Bool
    let ledger = InMemoryLedger()
    let wallet = FulfilmentRecorder()
    let timer = ManualTimer()
    let disturbances = Disturbances()
    /// The customer that is signed in to the store.
    let account = Locked("one")
    /// The milliseconds by which the device's clock is ahead of the store's.
    let clockError = Locked<Int64>(0)
    /// Whether two processes of the app run at the same time.
    let hasTwoProcesses: Bool
    /// The orders that a process has repeated although it knew that they were carried out.
    let repeatedOrders = Locked<[String]>([])

    init(
        _ server: RecordedStore, _ verifier: ReceiptVerifier, takesPlatformVerdict: Bool, hasTwoProcesses: Bool = false
    ) {
        self.server = server
        self.verifier = verifier
        self.takesPlatformVerdict = takesPlatformVerdict
        self.hasTwoProcesses = hasTwoProcesses
    }

    var clock: @Sendable () -> Timestamp {
        { [server, clockError] in server.simulator.state.now.adding(milliseconds: clockError.withLock { $0 }) }
    }
}

/// One process of the app, whose callbacks call the service.
struct SoakProcess: Sendable {
    let crash: CrashSimulator
    let store: SoakStore
    let reentry: Reentry
    let service: PurchaseService
    let entitlements: EntitlementStore
    let listener: Task<Void, Never>

    /// Launches the app.
    ///
    /// - Parameters:
    ///   - user: The app's user.
    ///   - step: The step at which the process crashes.
    ///   - reentry: Calls the service from its callbacks.
    init(_ device: SoakDevice, user: AppUser, crashingAt step: Int = .max, reentry: Reentry = Reentry()) async {
        crash = CrashSimulator(crashingAt: step)
        store = SoakStore(device.server, account: device.account, device.disturbances)
        self.reentry = reentry
        let crashing = CrashingStore(base: store, simulator: crash, ledger: device.ledger)
        let platform = PlatformStore(crashing)
        let verifier: any TransactionVerifying =
            device.takesPlatformVerdict ? platform.verifier : device.verifier
        let log = SoakLog(reentry: reentry)
        service = PurchaseService(
            store: device.takesPlatformVerdict ? platform : crashing,
            ledger: SoakLedger(base: CrashingLedger(device.ledger, crash), disturbances: device.disturbances),
            verifier: SoakVerifier(base: verifier, disturbances: device.disturbances, reentry: reentry),
            fulfiller: SoakFulfiller(
                CrashingFulfiller(base: device.wallet, simulator: crash), device, log: log, reentry: reentry),
            user: user, environment: PurchaseEnvironment(log: log, timer: device.timer, clock: device.clock))
        entitlements = EntitlementStore(
            service: service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: device.timer, clock: device.clock))
        reentry.connect(service)
        await entitlements.start()
        listener = service.listenForTransactions { [reentry] _ in await reentry.call() }
    }

    /// Stops the callbacks and the updates; the listener ends after everything that has arrived is processed.
    func stop() async {
        reentry.stop()
        await store.end()
        await entitlements.stop()
    }
}

/// Calls the service from its callbacks, at random; a call from within such a call does nothing.
final class Reentry: Sendable {
    @TaskLocal private static var isInside = false

    private struct State {
        var generator: SplitMix64
        var service: PurchaseService?
        var running: [Task<Void, Never>] = []
    }

    private let state: Locked<State>
    private let rarity: Int

    /// Creates callbacks that call the service once in `rarity` times; never without a value.
    init(seed: UInt64 = 0, rarity: Int? = nil) {
        state = Locked(State(generator: SplitMix64(seed: seed)))
        self.rarity = rarity ?? 0
    }

    func connect(_ service: PurchaseService) { state.withLock { $0.service = service } }
    func stop() { state.withLock { $0.service = nil } }

    /// Returns when the calls have ended that callbacks have started without waiting for them.
    func ended() async {
        while let task = state.withLock({ $0.running.popLast() }) { await task.value }
    }

    private func next() -> (service: PurchaseService, choice: Int)? {
        guard rarity > 0, !Self.isInside else { return nil }
        return state.withLock { state in
            guard let service = state.service, state.generator.once(in: rarity) else { return nil }
            return (service, Int.random(in: 0..<7, using: &state.generator))
        }
    }

    /// Calls the service and waits for its answer.
    func call() async {
        if let (service, choice) = next() { await Self.call(service, choice) }
    }

    /// Starts a call of the service, for callbacks that must not wait.
    func start() {
        guard let (service, choice) = next() else { return }
        let task = Task { await Self.call(service, choice) }
        state.withLock { $0.running.append(task) }
    }

    private static func call(_ service: PurchaseService, _ choice: Int) async {
        await $isInside.withValue(true) {
            switch choice {
            case 0: _ = try? await service.evidence()
            case 1: _ = await service.currentEntitlements()
            case 2: await service.resumeUnfinishedPurchases()
            case 3: _ = try? await service.requestAllPurchaseHistory()
            case 4: await PurchaseCall.make { _ = await service.purchase(productID: "coins") }
            case 5: await PurchaseCall.make { _ = await service.purchase(productID: "template.a") }
            default: _ = try? await service.pendingPurchases()
            }
        }
    }
}

private struct SoakVerifier: TransactionVerifying {
    let base: any TransactionVerifying
    let disturbances: Disturbances
    let reentry: Reentry

    var hasLastingVerdicts: Bool { base.hasLastingVerdicts }

    private func verify<Payload>(
        _ body: () async -> VerificationResult<Payload>
    ) async -> VerificationResult<Payload> {
        // The platform's verdict is asked about every entry of the ledger in every call, so calls from it would
        // multiply.
        if base.hasLastingVerdicts { await reentry.call() }
        let failure = VerificationFailure(code: .verificationTimedOut)
        do throws(VerificationFailure) {
            return try await disturbances.call(.verify, orThrow: failure) { () async throws(VerificationFailure) in
                await body()
            }
        } catch {
            return .unverified(error)
        }
    }

    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        await verify { await base.verifyTransaction(jws, at: now) }
    }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        await verify { await base.verifyRenewalInfo(jws, at: now) }
    }
}

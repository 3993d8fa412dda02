import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Recovery lock", .timeLimit(.minutes(15)))
struct RecoveryLockTests {
    private struct Damaged: Error {}

    @Test("[OTP-8.4] while a recovery runs a purchase is refused without a call to the store; afterwards it is made")
    func refused() async throws {
        let lock = RecoveryLock(environment: PurchaseEnvironment(timer: ManualTimer()))
        let harness = ServiceHarness(pacing: PurchasePacing(recovery: lock))
        let service = harness.service
        let gate = Gate()
        let recovery = Task { try await lock.run { await gate.pass() } }
        await gate.arrived()
        for result in [
            await service.purchase(productID: "template.a"),
            await service.purchase(productID: "template.a", options: PurchaseOptions()),
        ] {
            let outcome = PurchaseResultMapping.outcome(of: result)
            #expect(outcome == .failed(PurchaseFlowError(.recoveryInProgress, "")))
            guard case .failed(let error) = outcome else { continue }
            #expect(error.isRetryable)
        }
        #expect(await harness.store.requests[.purchase] == nil)
        _ = try await service.products(for: ["template.a"])
        _ = try await service.restorePurchases()
        await gate.open()
        try await recovery.value
        #expect(!lock.isLocked)
        #expect(PurchaseResultMapping.outcome(of: await service.purchase(productID: "template.a")) == .success)
        #expect(await harness.store.sales == ["template.a"])
    }

    @Test("[OTP-8.4] the lock comes off when the recovery throws or is cancelled, and the caller gets its error")
    func throwing() async throws {
        let lock = RecoveryLock(environment: PurchaseEnvironment(timer: ManualTimer()))
        await #expect(throws: Damaged.self) { try await lock.run { throw Damaged() } }
        #expect(!lock.isLocked)
        let gate = Gate()
        let recovery = Task {
            try await lock.run {
                await gate.pass()
                try Task.checkCancellation()
            }
        }
        await gate.arrived()
        #expect(lock.isLocked)
        recovery.cancel()
        await gate.open()
        await #expect(throws: CancellationError.self) { try await recovery.value }
        #expect(!lock.isLocked)
        #expect(try await lock.run { 42 } == 42)
    }

    @Test("[OTP-8.4] the lock comes off at the deadline of a recovery that never returns, even if it was cancelled")
    func hanging() async throws {
        for isCancelled in [false, true] {
            let timer = ManualTimer()
            let lock = RecoveryLock(deadlineMilliseconds: 5_000, environment: PurchaseEnvironment(timer: timer))
            let gate = Gate()
            let recovery = Task { try await lock.run { await gate.pass() } }
            await gate.arrived()
            if isCancelled { recovery.cancel() }
            timer.advance(by: 4_999)
            #expect(lock.isLocked)
            timer.advance(by: 1)
            let error = await #expect(throws: RecoveryLockError.self) { try await recovery.value }
            #expect(error?.code == .timedOut)
            #expect(!lock.isLocked)
            await gate.open()
        }
    }

    @Test("of several recoveries the last one ends the lock")
    func several() async throws {
        let lock = RecoveryLock(environment: PurchaseEnvironment(timer: ManualTimer()))
        let gates = [Gate(), Gate()]
        let recoveries = gates.map { gate in Task { try await lock.run { await gate.pass() } } }
        for gate in gates { await gate.arrived() }
        await gates[0].open()
        try await recoveries[0].value
        #expect(lock.isLocked)
        await gates[1].open()
        try await recoveries[1].value
        #expect(!lock.isLocked)
    }

    @Test("[OTP-8.4] a hold locks purchases after the recovery, and its end leaves a later hold in force")
    func holds() async throws {
        let lock = RecoveryLock(environment: PurchaseEnvironment(timer: ManualTimer()))
        try await lock.run { lock.hold() }
        #expect(lock.isLocked)
        let first = lock.lastHold
        lock.hold()
        lock.endHolds(through: first)
        #expect(lock.isLocked)
        lock.endHolds(through: lock.lastHold)
        lock.endHolds(through: first)
        #expect(!lock.isLocked)
    }

    @Test("a recovery inside of a recovery keeps the lock until the outer one ends")
    func nested() async throws {
        let lock = RecoveryLock(environment: PurchaseEnvironment(timer: ManualTimer()))
        let states = try await lock.run {
            let inner = try await lock.run { lock.isLocked }
            return [inner, lock.isLocked]
        }
        #expect(states == [true, true])
        #expect(!lock.isLocked)
    }
}

import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

@testable import ReceiptVerification

@Suite("Retry after network errors", .timeLimit(.minutes(15)))
struct NetworkRetryTests {
    /// A call that fails with these errors in turn and then succeeds, and the uptimes of its attempts.
    private actor Call {
        private var errors: [any Error]
        private let device: SimulatedDevice
        private(set) var attempts: [Int64] = []

        init(_ device: SimulatedDevice, _ errors: [any Error]) {
            self.device = device
            self.errors = errors
        }

        func make() throws -> Int {
            attempts.append(device.uptime().milliseconds)
            if !errors.isEmpty { throw errors.removeFirst() }
            return attempts.count
        }
    }

    private let offline = StoreError(.network, "offline")

    private func retry(
        _ device: SimulatedDevice, _ schedule: BackoffSchedule = BackoffSchedule(jitterPercent: 0),
        random: @escaping @Sendable () -> UInt64 = { 0 }
    ) -> NetworkRetry {
        NetworkRetry(
            schedule: schedule, environment: PurchaseEnvironment(timer: device, random: random, uptime: device.uptime))
    }

    @Test("[OTP-8.1] a network error is retried after pauses that double, until the call succeeds")
    func doubling() async throws {
        let device = SimulatedDevice()
        let flow = PurchaseFlowError.storeKitError(offline)
        let call = Call(device, [offline, flow, PurchaseError(offline), offline])
        #expect(try await retry(device).run { try await call.make() } == 5)
        #expect(device.pauses == [1_000, 2_000, 4_000, 8_000])
        #expect(await call.attempts == [0, 1_000, 3_000, 7_000, 15_000])
        #expect(device.deadlines == [120_000, 119_000, 117_000, 113_000, 105_000])
    }

    @Test(
        "[OTP-8.1] a problem of the store and every other error end the run at the first attempt",
        arguments: [
            StoreError(.system, "") as any Error, StoreError(.timedOut, ""), StoreError(.userCancelled, ""),
            StoreError(.unknown, ""), LedgerError(.notReadable, ""), PurchaseFlowError(.rateLimited, ""),
            VerificationFailure(code: .verificationTimedOut), CancellationError(),
        ])
    func notRetried(error: any Error) async {
        let device = SimulatedDevice()
        let call = Call(device, [error])
        await #expect(throws: (any Error).self) { try await retry(device).run { try await call.make() } }
        #expect(await call.attempts.count == 1)
        #expect(device.pauses.isEmpty)
    }

    @Test("[OTP-8.1] a purchase that fails is never repeated, because a service returns the failure as a result")
    func purchase() async throws {
        let device = SimulatedDevice()
        let harness = ServiceHarness()
        await harness.store.fail(offline)
        let result = try await retry(device).run { await harness.service.purchase(productID: "coins") }
        #expect(PurchaseResultMapping.outcome(of: result) == .failed(.storeKitError(offline)))
        #expect(await harness.store.requests[.purchase] == 1)
        #expect(device.pauses.isEmpty)
    }

    @Test("[OTP-8.1] the attempts are limited, and the last error is thrown")
    func attempts() async {
        let device = SimulatedDevice()
        let errors = (1...9).map { StoreError(.network, "failure \($0)") }
        let call = Call(device, errors)
        let error = await #expect(throws: StoreError.self) {
            try await retry(device, BackoffSchedule(attempts: 3)).run { try await call.make() }
        }
        #expect(error?.message == "failure 3")
        #expect(await call.attempts.count == 3)
    }

    @Test("[OTP-8.1] the total time is limited: no pause begins that would end after it")
    func total() async {
        let device = SimulatedDevice()
        let call = Call(device, Array(repeating: offline, count: 9))
        let schedule = BackoffSchedule(jitterPercent: 0, attempts: 99, totalMilliseconds: 7_000)
        await #expect(throws: StoreError.self) { try await retry(device, schedule).run { try await call.make() } }
        #expect(await call.attempts == [0, 1_000, 3_000])
        #expect(device.pauses == [1_000, 2_000], "the next pause would end at 7000")
    }

    @Test("a device that sleeps past the total time during a pause does not try again")
    func suspended() async {
        let device = SimulatedDevice { $0.pass(3_600_000) }
        let call = Call(device, Array(repeating: offline, count: 9))
        await #expect(throws: StoreError.self) { try await retry(device).run { try await call.make() } }
        #expect(await call.attempts.count == 1)
    }

    @Test("an attempt that never ends is given up at the end of the total time")
    func hanging() async {
        let timer = ManualTimer()
        let gate = Gate()
        let run = Task {
            try await NetworkRetry(environment: PurchaseEnvironment(timer: timer, uptime: { .test(0) })).run {
                await gate.pass()
            }
        }
        await gate.arrived()
        timer.advance(by: 120_000)
        let error = await #expect(throws: StoreError.self) { try await run.value }
        #expect(error?.code == .timedOut)
        await gate.open()
    }

    @Test("cancelling the caller ends a pause")
    func cancelled() async {
        let timer = ManualTimer()
        let offline = offline
        let schedule = BackoffSchedule(firstMilliseconds: 777, jitterPercent: 0)
        let run = Task {
            try await NetworkRetry(
                schedule: schedule, environment: PurchaseEnvironment(timer: timer, uptime: { .test(0) })
            ).run { throw offline }
        }
        await timer.started(777)
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test("[OTP-8.1] the random part only shortens a pause, by at most its percentage, and no number makes it trap")
    func jitter() {
        let schedule = BackoffSchedule(firstMilliseconds: 1_000, longestMilliseconds: 60_000, jitterPercent: 40)
        var seen: Set<Int64> = []
        for failures in [Int.min, 0, 1, 2, 5, 6, 7, 63, 64, 65, Int.max] {
            let longest = min(Int64(1_000) << Int64(min(max(failures, 1) - 1, 10)), 60_000)
            for random in [0, 1, 399, 400, 401, 24_000, .max, .max / 2] as [UInt64] {
                let pause = schedule.pauseMilliseconds(afterFailures: failures, random: random)
                #expect((longest * 6 / 10...longest).contains(pause), "\(failures) \(random)")
                seen.insert(pause)
            }
        }
        #expect(seen.count > 20)
        #expect(seen.contains(60_000) && seen.contains(600))
    }

    @Test("a value outside of the range of a schedule becomes the nearest one of it")
    func ranges() {
        let low = BackoffSchedule(
            firstMilliseconds: .min, longestMilliseconds: .min, jitterPercent: -1, attempts: 0, totalMilliseconds: 0)
        #expect(low.firstMilliseconds == 1 && low.longestMilliseconds == 1 && low.jitterPercent == 0)
        #expect(low.attempts == 1 && low.totalMilliseconds == 1)
        let high = BackoffSchedule(
            firstMilliseconds: .max, longestMilliseconds: .max, jitterPercent: .max, attempts: .max,
            totalMilliseconds: .max)
        #expect(high.firstMilliseconds == Sample.day && high.longestMilliseconds == Sample.day)
        #expect(high.jitterPercent == 100 && high.totalMilliseconds == Sample.day)
        #expect(high.pauseMilliseconds(afterFailures: .max, random: .max) >= 0)
    }
}

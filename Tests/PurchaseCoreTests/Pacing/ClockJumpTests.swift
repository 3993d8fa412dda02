import ReceiptTypes
import Testing

@testable import PurchaseCore
@testable import ReceiptVerification

/// Random settings of the device's clock, 1,000 in each test: nothing is earlier, takes longer than allowed, or is
/// stuck.
@Suite("A clock that is set at random", .timeLimit(.minutes(15)))
struct ClockJumpTests {
    /// A random difference of the device's clock: a second, hours, days or years, ahead or behind.
    fileprivate static func offset(_ random: inout SplitMix64) -> Int64 {
        let sizes: [Int64] = [1_000, 3_600_000, Sample.day, 1_000 * Sample.day]
        let size = sizes[Int(random.below(4))]
        return Int64(random.below(UInt64(2 * size))) - size
    }

    @Test("[OTP-9.6] a limiter allows a call exactly when fewer calls than the limit were within its time")
    func rateLimits() throws {
        var jumps = 0
        for seed in 1...40 {
            var random = SplitMix64(seed: UInt64(seed))
            let limit = RateLimit(count: Int(random.below(5)) + 1, perMilliseconds: Int64(random.below(2_000)) + 1)
            let device = SimulatedDevice()
            let limiter = RateLimiter(limit, environment: PurchaseEnvironment(uptime: device.uptime))
            /// The uptimes of the allowed calls.
            var allowed: [Int64] = []
            for _ in 1...25 {
                device.setClock(aheadBy: Self.offset(&random))
                jumps += 1
                device.pass(Int64(random.below(UInt64(limit.milliseconds))))
                var isAllowed = false
                for _ in 0..<100 where !isAllowed {
                    let now = device.uptime().milliseconds
                    let recent = allowed.filter { now - $0 < limit.milliseconds }
                    do throws(RateLimitError) {
                        try limiter.countCall()
                        #expect(recent.count < limit.count, "seed \(seed): earlier than allowed")
                        allowed.append(now)
                        isAllowed = true
                    } catch {
                        #expect(recent.count == limit.count, "seed \(seed): refused longer than allowed")
                        let wait = try #require(error.retryAfterMilliseconds)
                        #expect(recent.first.map { $0 + limit.milliseconds } == now + wait, "seed \(seed)")
                        // The named time is enough.
                        device.pass(wait)
                    }
                }
            }
        }
        #expect(jumps == 1_000)
    }

    /// Counts the settings of the clock, and fails a call a random number of times.
    private actor Failing {
        private(set) var attempts: [Int64] = []
        private let device: SimulatedDevice
        private let failures: Int

        init(_ device: SimulatedDevice, failures: Int) {
            self.device = device
            self.failures = failures
        }

        func make() throws -> Int {
            attempts.append(device.uptime().milliseconds)
            if attempts.count <= failures { throw StoreError(.network, "offline") }
            return attempts.count
        }
    }

    @Test("[OTP-8.1] a retry waits at least the shortened pause and at most the full one, and ends in the total time")
    func retries() async throws {
        let jumps = Locked(0)
        var seed: UInt64 = 0
        var ends = (value: 0, error: 0)
        while jumps.withLock({ $0 }) < 1_000 {
            seed += 1
            var random = SplitMix64(seed: seed)
            let schedule = BackoffSchedule(
                firstMilliseconds: Int64(random.below(500)) + 1, longestMilliseconds: Int64(random.below(20_000)) + 1,
                jitterPercent: Int64(random.below(101)), attempts: Int(random.below(8)) + 1,
                totalMilliseconds: Int64(random.below(60_000)) + 1)
            let generator = Locked(random)
            let device = SimulatedDevice { device in
                device.setClock(aheadBy: generator.withLock { Self.offset(&$0) })
                jumps.withLock { $0 += 1 }
            }
            let failures = Int(random.below(10))
            let call = Failing(device, failures: failures)
            let retry = NetworkRetry(
                schedule: schedule,
                environment: PurchaseEnvironment(
                    timer: device, random: { generator.withLock { $0.next() } }, uptime: device.uptime))
            let value = try? await retry.run { try await call.make() }
            let attempts = await call.attempts
            #expect(zip(attempts, attempts.dropFirst()).map { $1 - $0 } == device.pauses, "seed \(seed)")
            for (place, pause) in device.pauses.enumerated() {
                let full = min(schedule.firstMilliseconds << Int64(place), schedule.longestMilliseconds)
                #expect((full - full * schedule.jitterPercent / 100...full).contains(pause), "seed \(seed)")
            }
            #expect(device.uptime().milliseconds <= schedule.totalMilliseconds && attempts.count <= schedule.attempts)
            if value == nil {
                ends.error += 1
                // It gave up because no attempt or no time was left, and for no other reason.
                let next = min(
                    schedule.firstMilliseconds << Int64(attempts.count - 1), schedule.longestMilliseconds)
                #expect(
                    attempts.count == schedule.attempts
                        || device.uptime().milliseconds + next >= schedule.totalMilliseconds,
                    "seed \(seed)")
            } else {
                ends.value += 1
                #expect(attempts.count == failures + 1)
            }
        }
        #expect(ends.value > 20 && ends.error > 20)
    }

    @Test("a gate grants no longer than the purchase, denies nothing that the clock allows, and follows the store")
    @MainActor
    func expiry() throws {
        let end = Sample.at(day: 30)
        let lifetime = Ground(kind: .lifetime, productID: "export.once", transactionID: "1", end: nil)
        let period = Ground(kind: .subscription, productID: "pro.monthly", transactionID: "2", end: end)
        for seed in 1...10 {
            var random = SplitMix64(seed: UInt64(seed))
            let clock = ManualClock(Sample.at(0))
            let entitlements = FixedEntitlements(.empty)
            let gating = FeatureGatingService(
                entitlements: entitlements, catalog: try GatedApp.catalog(),
                environment: PurchaseEnvironment(timer: ManualTimer(), clock: clock.now))
            /// What the store or the ledger says when the clock shows a time.
            func refresh(_ freshness: EntitlementFreshness) {
                let now = clock.now()
                var grounds: [Entitlement: [Ground]] = [.feature("export"): [lifetime]]
                if now <= end { grounds[.feature("sync")] = [period] }
                entitlements.freshness = freshness
                entitlements.entitlements = Entitlements(grounds: grounds, asOf: now)
            }
            refresh(.current)
            /// The latest time that an answer was asked at since the store has answered.
            var latest: Timestamp?
            for _ in 1...100 {
                clock.set(Sample.at(day: 29).adding(milliseconds: Self.offset(&random)))
                if random.below(4) == 0 {
                    let isOnline = random.below(2) == 0
                    refresh(isOnline ? .current : .remembered)
                    if isOnline { latest = nil }
                }
                let now = clock.now()
                if entitlements.freshness == .remembered { latest = max(now, latest ?? now) }
                let isListed = entitlements.entitlements.grants(.feature("sync"))
                let access = gating.access(to: "sync")
                #expect(gating.canAccessSync("export"), "seed \(seed): what does not end is never denied")
                let isOver = now > end || latest.map { $0 > end && $0 > now.adding(milliseconds: Sample.day) } ?? false
                #expect(access == (!isListed ? .denied : isOver ? .unknown : .granted), "seed \(seed)")
            }
            clock.set(end)
            refresh(.current)
            #expect(gating.canAccessSync("sync"), "seed \(seed): an answer of the store ends every lock-out")
        }
    }

    /// Counts the attempts to hand a purchase over, and fails them until it is opened.
    private actor FailingFulfiller: PurchaseFulfilling {
        struct Closed: Error {}
        private(set) var attempts = 0
        private var isOpen = false

        func open() { isOpen = true }

        func fulfil(_ order: FulfilmentOrder) async throws {
            attempts += 1
            if !isOpen { throw Closed() }
        }
    }

    @Test("the service repeats a hand-over after each pause of its schedule, never earlier and never later")
    func handOver() async {
        let harness = ServiceHarness()
        let fulfiller = FailingFulfiller()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier, fulfiller: fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        var random = SplitMix64(seed: 1)
        _ = await service.purchase(productID: "coins")
        for failures in 1...1_000 {
            let pause: Int64 = failures > 5 ? 120_000 : 5_000 << Int64(failures - 1)
            await harness.timer.started(pause, count: max(1, failures - 5))
            harness.clock.set(Sample.at(Self.offset(&random)))
            harness.timer.advance(by: pause - 1)
            #expect(await fulfiller.attempts == failures)
            harness.timer.advance(by: 1)
        }
        await harness.timer.started(120_000, count: 996)
        #expect(await fulfiller.attempts == 1_001)
        await fulfiller.open()
        harness.timer.advance(by: 120_000)
        #expect(await service.waitUntilHandedOver(productID: "coins"))
        #expect(await fulfiller.attempts == 1_002)
    }

    @Test("[OTP-4.5] a trial lasts no longer than the clocks allow, and as long as the store says")
    func trial() async throws {
        let harness = ServiceHarness()
        let end = 7 * Sample.day
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("1", "pro.monthly", expires: Sample.at(end)) {
                    $0.offerType = .introductory
                    $0.offerDiscountType = .freeTrial
                }))
        await harness.service.resumeUnfinishedPurchases()
        /// The days of the trial that are left at a time; none after its end.
        func days(at time: Int64) -> Int? { time > end ? nil : Int((end - time + Sample.day - 1) / Sample.day) }
        var random = SplitMix64(seed: 1)
        /// The latest time that the clock has shown since the store has answered.
        var latest: Int64 = 0
        var answers = (inForce: 0, over: 0, current: 0)
        for _ in 1...1_000 {
            let isOnline = random.below(4) == 0
            // The store's answer vouches for a clock that is right, from the purchase on.
            let clock = isOnline ? Int64(random.below(UInt64(6 * Sample.day))) : Self.offset(&random)
            harness.clock.set(Sample.at(clock))
            await harness.store.fail(isOnline ? nil : StoreError(.network, "offline"))
            let evidence = try await harness.service.evidence()
            let left = TrialManager(evidence: evidence, clock: harness.clock.now()).getRemainingTrialDays()
            let isPro = EntitlementProjection(catalog: Sample.catalog, offlineGraceMilliseconds: 0)
                .entitlements(from: evidence, clock: harness.clock.now()).isPro
            if isOnline {
                latest = clock
                answers.current += 1
                #expect(left == days(at: clock) && isPro, "the store's answer ends every lock-out")
                continue
            }
            latest = max(latest, clock)
            // Time stands still at the latest one, except for a day that counts as an error of the clock.
            let longest = days(at: max(clock, latest - Sample.day, 0))
            #expect((left ?? -1) <= (longest ?? -1), "no longer than the clocks allow")
            #expect((left ?? -1) >= (days(at: latest) ?? -1), "as long as every clock allows")
            #expect(isPro == (left != nil))
            if isPro { answers.inForce += 1 } else { answers.over += 1 }
        }
        #expect(answers.inForce > 100 && answers.over > 100 && answers.current > 100)
    }

    /// A device on which each wait ends at once, and the clock shows a random time afterwards.
    private final class JumpingClock: PurchaseTimer {
        private let state: Locked<(random: SplitMix64, shown: Int64, waits: [Int64])>

        init(seed: UInt64) {
            state = Locked((SplitMix64(seed: seed), 0, []))
        }

        /// What the clock has shown before each wait, and the lengths of the waits.
        let shown = Locked<[Int64]>([])
        var waits: [Int64] { state.withLock { $0.waits } }

        func now() -> Timestamp {
            let now = state.withLock { $0.shown }
            shown.withLock { $0.append(now) }
            return Sample.at(now)
        }

        func start(milliseconds: Int64) -> Task<Void, Never> {
            state.withLock { state in
                state.waits.append(milliseconds)
                state.shown = ClockJumpTests.offset(&state.random)
            }
            return Task {}
        }
    }

    @Test("the refresh at the end of a purchase comes when the clock has passed it, and no wait is longer than an hour")
    func ends() async throws {
        var jumps = 0
        var seed: UInt64 = 0
        while jumps < 1_000 {
            seed += 1
            let clock = JumpingClock(seed: seed)
            let due = Sample.day / Int64(seed % 5 + 1)
            let (refreshes, refreshed) = AsyncStream.makeStream(of: Void.self)
            let timer = RefreshTimer(
                after: Sample.at(due), orIn: nil, PurchaseEnvironment(timer: clock, clock: { clock.now() })
            ) {
                refreshed.finish()
            }
            for await _ in refreshes {}
            withExtendedLifetime(timer) {}
            let shown = clock.shown.withLock { $0 }
            #expect(shown.dropLast().allSatisfy { $0 <= due }, "seed \(seed): it is not late")
            #expect(shown.last.map { $0 > due } ?? false, "seed \(seed): it is not early")
            #expect(clock.waits == shown.dropLast().map { min(due - $0 + 1, 3_600_000) }, "seed \(seed)")
            jumps += clock.waits.count
        }
    }
}

import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

/// The time that passes although the device's clock does not show it.
@Suite("Witnesses of the time")
struct ClockWitnessTests {
    private static let hour: Int64 = 3_600_000

    private static func uptime(_ milliseconds: Int64, start: String = "first") -> DeviceUptime {
        DeviceUptime(startID: UUIDText(start), milliseconds: milliseconds)
    }

    /// Returns marks of day 10, recorded a day after the device was started.
    private static func marks() -> ClockMarks {
        var marks = ClockMarks()
        marks.recordStoreAnswer(clock: Sample.at(day: 10), uptime: uptime(Sample.day))
        return marks
    }

    @Test("the device mark advances with the uptime, in steps of an hour, whatever the clock shows")
    func uptime() {
        let day = Sample.day
        let cases: [(clock: Int64, uptime: Int64, mark: Int64)] = [
            (10 * day, 4 * day, 13 * day), (2 * day, 4 * day, 13 * day), (10 * day, day + Self.hour - 1, 10 * day),
            (10 * day, day + Self.hour, 10 * day + Self.hour), (12 * day, day + Self.hour, 12 * day),
            (10 * day + 1, day + 1, 10 * day + 1),
        ]
        for (clock, uptime, mark) in cases {
            var marks = Self.marks()
            marks.recordClock(Sample.at(clock), uptime: Self.uptime(uptime))
            #expect(marks.device == Sample.at(mark), "clock \(clock), uptime \(uptime)")
            #expect(marks.assumed == nil && marks.earliestConfirmedEnd(isStoreReachable: false) == nil)
        }
    }

    @Test("many observations within an hour of uptime add up")
    func smallSteps() {
        var marks = Self.marks()
        for minute in 1...Int64(3 * 24 * 60) {
            marks.recordClock(Sample.at(day: 10), uptime: Self.uptime(Sample.day + minute * 60_000))
        }
        #expect(marks.device == Sample.at(day: 13))
    }

    @Test("uptimes that agree with the clock to the hour change only the device mark, and the anchor once an hour")
    func agreement() {
        var marks = Self.marks()
        var changes = 0
        for minute in 0...Int64(3 * 24 * 60) {
            let anchor = marks.anchor
            let difference = minute % 7 - 3
            let now = Sample.at(10 * Sample.day + minute * 60_000)
            marks.recordClock(now, uptime: Self.uptime(Sample.day + minute * 60_000 + difference))
            marks.recordStoreAnswer(clock: now, uptime: Self.uptime(Sample.day + minute * 60_000 + 5))
            #expect(marks == ClockMarks(device: now, anchor: marks.anchor))
            if marks.anchor != anchor { changes += 1 }
        }
        #expect(abs(changes - 3 * 24) <= 1, "\(changes)")
    }

    @Test("each restart stands for a day of the clock, whatever the uptime; a start is counted once")
    func restarts() {
        var marks = Self.marks()
        for number in 1...40 {
            for _ in 1...3 {
                marks.recordClock(Sample.at(day: 10), uptime: Self.uptime(0, start: "\(number)"))
                #expect(marks.assumed == Sample.at(day: 10 + number) && marks.device == Sample.at(day: 10))
            }
            #expect(marks.earliestConfirmedEnd(isStoreReachable: false) == Sample.at(day: number - 20))
        }
        #expect(marks.earliestConfirmedEnd(isStoreReachable: true) == nil)
        // By the clock, more time has passed than with a day for each restart.
        marks.recordClock(Sample.at(day: 60), uptime: Self.uptime(0, start: "later"))
        #expect(marks.assumed == Sample.at(day: 60))
        // A container has another id with each start and the uptime of its host, and a ledger can be moved to another
        // machine: neither proves that the uptime has passed since the last look.
        marks.recordClock(Sample.at(day: 60), uptime: Self.uptime(400 * Sample.day, start: "container"))
        #expect(marks.device == Sample.at(day: 60) && marks.assumed == Sample.at(day: 61))
        marks.recordClock(Sample.at(day: 60), uptime: Self.uptime(402 * Sample.day, start: "container"))
        #expect(marks.device == Sample.at(day: 62))
    }

    @Test("an answer of the store, a signature that agrees with the clock and a contradiction end the count")
    func confirmations() {
        var counted = Self.marks()
        for number in 1...50 {
            counted.recordClock(Sample.at(day: 10), uptime: Self.uptime(0, start: "\(number)"))
        }
        let changes: [(inout ClockMarks) -> Void] = [
            { $0.recordStoreAnswer(clock: Sample.at(day: 9), uptime: Self.uptime(5, start: "50")) },
            { $0.recordStoreAnswer(clock: Sample.at(day: 9)) },
            { $0.recordSignature(Sample.at(day: 9), clock: Sample.at(day: 9), uptime: Self.uptime(5, start: "50")) },
        ]
        for (number, change) in changes.enumerated() {
            var marks = counted
            change(&marks)
            #expect(marks.assumed == nil && marks.device == Sample.at(day: 9), "change \(number)")
            marks.recordClock(Sample.at(day: 9), uptime: Self.uptime(Self.hour, start: "50"))
            #expect(marks.assumed == nil, "change \(number): the same start")
        }
        counted.recordSignature(Sample.at(day: 30), clock: Sample.at(day: 10), uptime: Self.uptime(5, start: "50"))
        #expect(counted.assumed == Sample.at(day: 60), "the clock does not agree")
        counted.recordClock(Sample.at(day: 10), uptime: Self.uptime(0, start: "last"))
        #expect(counted.assumed == Sample.at(day: 61))
    }

    @Test("without ids only an uptime that goes back is a restart; one that goes back alone proves nothing")
    func unknownStarts() {
        var marks = ClockMarks()
        marks.recordClock(Sample.at(day: 10), uptime: Self.uptime(Sample.day, start: ""))
        marks.recordClock(Sample.at(day: 10), uptime: Self.uptime(3 * Sample.day, start: ""))
        #expect(marks.device == Sample.at(day: 12) && marks.assumed == nil)
        marks.recordClock(Sample.at(day: 10), uptime: Self.uptime(2 * Sample.day, start: ""))
        #expect(marks.device == Sample.at(day: 12) && marks.assumed == Sample.at(day: 13))
        // A virtual machine whose state of an hour ago was restored.
        var restored = Self.marks()
        restored.recordClock(Sample.at(day: 10), uptime: Self.uptime(Sample.day - Self.hour))
        #expect(restored.device == Sample.at(day: 10) && restored.assumed == Sample.at(day: 11))
    }

    @Test("no uptime and no time of a damaged memory traps")
    func limits() {
        let uptimes: [Int64] = [.min, -1, 0, .max]
        let times: [Timestamp] = [.minimum, Sample.at(0), .maximum]
        for (time, other) in times.flatMap({ time in times.map { (time, $0) } }) {
            for (earlier, later) in uptimes.flatMap({ uptime in uptimes.map { (uptime, $0) } }) {
                for start in ["first", "second", ""] {
                    let anchor = ClockMarks.Anchor(time: time, uptime: Self.uptime(earlier))
                    var marks = ClockMarks(device: other, signed: time, assumed: other, anchor: anchor)
                    marks.recordClock(other, uptime: Self.uptime(later, start: start))
                    #expect(marks.device.map { $0 >= other } ?? false)
                    marks.recordStoreAnswer(clock: other, uptime: Self.uptime(later, start: start))
                    #expect(marks.assumed == nil)
                }
            }
        }
    }

    @Test("marks of two ledgers bind as long as either of them")
    func merge() {
        let anchor = ClockMarks.Anchor(time: Sample.at(1), uptime: Self.uptime(1))
        let left = ClockMarks(device: Sample.at(5), signed: nil, assumed: Sample.at(9), anchor: nil)
        let right = ClockMarks(device: Sample.at(4), signed: Sample.at(2), assumed: nil, anchor: anchor)
        let both = ClockMarks(device: Sample.at(5), signed: Sample.at(2), assumed: Sample.at(9), anchor: anchor)
        #expect(left.merged(with: right) == both && right.merged(with: left) == both)
    }

    @Test("the device's own uptime does not go back, and its start has one id")
    func device() {
        let (first, second) = (DeviceUptime.now(), DeviceUptime.now())
        #expect(first.startID == second.startID && first.milliseconds <= second.milliseconds)
        #expect(first.startID.isUUID || first.startID.rawValue.isEmpty)
    }

    // MARK: Decisions

    /// Returns evidence for which the ends before a day do not count.
    private static func evidence(
        _ transactions: [Transaction], renewals: [RenewalInfo] = [], before day: Int, isStoreReachable: Bool = false
    ) -> PurchaseEvidence {
        PurchaseEvidence(
            transactions: transactions, renewalInfos: renewals,
            clock: ClockMarks(assumed: Sample.at(day: day + 30)), isStoreReachable: isStoreReachable)
    }

    @Test("each purchase with an end is denied as unconfirmed from the same instant on, and no other one")
    func denials() throws {
        let monthly = try Sample.transaction("1", "pro.monthly")
        let season = try Sample.transaction("2", "pro.season")
        let lifetime = try Sample.transaction("3", "pro.lifetime")
        let coins = try Sample.transaction("4", "coins")
        let seasonEnd = try #require(
            EntitlementProjection(catalog: Sample.catalog).entitlements(from: [season], at: Sample.at(0)).nextEnd)
        let grace = try #require(
            RenewalInfo(Sample.renewal("1", signed: Sample.at(day: 1), retry: true, grace: Sample.at(day: 45))))
        let renewing = try #require(RenewalInfo(Sample.renewal("1", signed: Sample.at(day: 1))))
        let cases: [(Transaction, RenewalInfo?, day: Int, end: Timestamp?)] = [
            (monthly, nil, 5, Sample.at(day: 30)), (monthly, grace, 31, Sample.at(day: 45)),
            (monthly, renewing, 31, Sample.at(day: 33)), (season, nil, 5, seasonEnd), (lifetime, nil, 5, nil),
            (coins, nil, 5, nil),
        ]
        let projection = EntitlementProjection(catalog: Sample.catalog)
        for (purchase, renewal, day, end) in cases {
            func entitlements(_ limit: Timestamp) -> Entitlements {
                projection.entitlements(
                    from: [purchase], renewalInfos: renewal.map { [$0] } ?? [], at: Sample.at(day: day),
                    isStoreReachable: false, earliestConfirmedEnd: limit)
            }
            let name = purchase.productID
            let later = end.flatMap { Timestamp(milliseconds: $0.millisecondsSince1970 + 1) }
            #expect(entitlements(end ?? Sample.at(day: 9_000)).denials.isEmpty, "\(name)")
            #expect(entitlements(later ?? Sample.at(day: 9_000)).denials == (end == nil ? [:] : [name: .unconfirmed]))
            #expect(
                entitlements(later ?? Sample.at(0)).purchases.allSatisfy {
                    $0.isGranted == (end == nil) || name == "coins"
                })
        }
        #expect(
            projection.entitlements(from: Self.evidence([monthly], before: 31), clock: Sample.at(day: 5)).grounds
                .isEmpty)
        let answered = Self.evidence([monthly], before: 31, isStoreReachable: true)
        #expect(projection.entitlements(from: answered, clock: Sample.at(day: 5)).isPro)
    }

    @Test("a free trial that is unconfirmed has no days left")
    func trial() throws {
        let trial = try Sample.transaction("1", "pro.monthly", expires: Sample.at(day: 7)) {
            $0.offerType = .introductory
            $0.offerDiscountType = .freeTrial
        }
        func days(_ evidence: PurchaseEvidence) -> Int? {
            TrialManager(evidence: evidence, clock: Sample.at(day: 2)).getRemainingTrialDays()
        }
        #expect(days(Self.evidence([trial], before: 7)) == 5)
        #expect(days(Self.evidence([trial], before: 8)) == nil)
    }

    @Test("a purchase that becomes unconfirmed is logged once, and a gate offers nothing to buy for it")
    @MainActor
    func gate() async throws {
        let app = try GatedApp()
        await app.buy("pro.monthly")
        await app.harness.store.fail(StoreError(.network, "down"))
        _ = try await app.harness.ledger.updateMemory { $0.clock.assumed = Sample.at(day: 61) }
        let logged = EntitlementStore(
            service: app.harness.service, catalog: try GatedApp.catalog(),
            environment: PurchaseEnvironment(log: app.harness.log, timer: StoppedTimer(), clock: app.harness.clock.now))
        for _ in 0..<3 {
            await app.store.refresh()
            await logged.refresh()
        }
        #expect(app.gating.access(to: "sync") == .unknown && !app.gating.canAccessSync("sync"))
        #expect(app.gating.getRequiredPurchaseForFeature("sync") == nil)
        #expect(app.harness.log.kinds.count { $0 == .unconfirmed } == 1)
        #expect(PurchaseLogEvent.Kind.unconfirmed.severity == .warning)
        await app.harness.store.fail(nil)
        await app.store.refresh()
        #expect(app.gating.canAccessSync("sync"))
    }
}

// MARK: Properties

extension ClockWitnessTests {
    /// A device that is offline since day 0, with a subscription of 30 days; what is proved is known independently.
    private struct Device {
        var generator: SplitMix64
        var marks: ClockMarks
        var time: Int64 = 0
        var clock: Int64 = 0
        var startedAt: Int64 = 0
        var start = 0
        /// The start of the device at the last launch, and the earliest time that the launches have proved.
        var observed = (start: 0, time: Int64(0))
        var proved: Int64 = 0
        var restarts: Int64 = 0
        /// The days that restarts are ahead of the time, in milliseconds.
        var excess: Int64 = 0

        init(seed: UInt64) {
            generator = SplitMix64(seed: seed)
            marks = ClockMarks()
            marks.recordStoreAnswer(clock: Sample.at(0), uptime: uptime)
        }

        var uptime: DeviceUptime {
            DeviceUptime(startID: UUIDText("\(start)"), milliseconds: time - startedAt)
        }

        mutating func random(_ milliseconds: Int64) -> Int64 { Int64.random(in: 0...milliseconds, using: &generator) }

        mutating func restart(after milliseconds: Int64) {
            time += milliseconds
            startedAt = time
            start += 1
        }

        /// Launches the app while the clock shows a time, and returns whether the subscription is in force.
        mutating func launch(clock: Int64, _ subscription: Transaction) -> Bool {
            self.clock = clock
            if observed.start == start {
                proved += time - observed.time
                excess = max(0, excess - (time - observed.time))
            } else {
                restarts += 1
                excess = max(0, excess + Sample.day - (time - observed.time))
            }
            proved = max(proved, clock)
            observed = (start, time)
            marks.recordClock(Sample.at(clock), uptime: uptime)
            let evidence = PurchaseEvidence(transactions: [subscription], clock: marks, isStoreReachable: false)
            return EntitlementProjection(catalog: Sample.catalog)
                .entitlements(from: evidence, clock: Sample.at(clock)).isPro
        }
    }

    @Test("[defect 8] no clock and no restarts keep a subscription beyond what the uptime proves and 30 restarts")
    func attack() throws {
        let subscription = try Sample.transaction("1", "pro.monthly")
        let end = 30 * Sample.day
        var extended = 0
        for seed in RandomHistory.seeds(share: 10) {
            var device = Device(seed: seed)
            for _ in 0..<150 {
                if device.generator.once(in: 2) { device.restart(after: device.random(3 * Sample.day)) }
                device.time += device.random(device.generator.once(in: 4) ? 2 * Sample.day : Self.hour)
                let clock =
                    switch Int.random(in: 0..<6, using: &device.generator) {
                    case 0, 1, 2: device.clock
                    case 3: device.clock + 60_000
                    case 4: -device.random(400 * Sample.day)
                    default: min(device.time, device.clock + device.random(Sample.day))
                    }
                guard device.launch(clock: clock, subscription), device.time > end else { continue }
                extended += 1
                // Each restart can hide an hour that the uptime has proved, and a day of the clock is tolerated.
                let isBounded = device.proved <= end + Sample.day + (device.restarts + 1) * Self.hour
                if !isBounded || device.restarts > 30 + 30 {
                    Issue.record("in force at \(device.time): PURCHASE_SEED=\(seed) PURCHASE_HISTORIES=10")
                }
            }
        }
        #expect(extended > 0)
    }

    @Test("[defect 9] a correct clock loses nothing before the end of the period, and everything after it")
    func honest() throws {
        let subscription = try Sample.transaction("1", "pro.monthly")
        let end = 30 * Sample.day
        var (before, after) = (0, 0)
        for seed in RandomHistory.seeds(share: 10) {
            var device = Device(seed: seed)
            let pause = device.random(2 * Sample.day)
            while device.time < 40 * Sample.day {
                if device.generator.once(in: 2) { device.restart(after: device.random(pause)) }
                device.time += device.random(Sample.day / 2)
                let isInForce = device.launch(clock: device.time, subscription)
                guard device.excess <= 30 * Sample.day else { break }
                if device.time <= end { before += 1 } else { after += 1 }
                if isInForce != (device.time <= end) {
                    Issue.record("\(isInForce) at \(device.time): PURCHASE_SEED=\(seed) PURCHASE_HISTORIES=10")
                }
            }
        }
        #expect(before > 0 && after > 0)
    }
}

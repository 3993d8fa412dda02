import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// Device clocks that customers set, with the simulator and the real verifier.
@Suite("A device clock that is set")
struct ClockAttackTests {
    private let simulator: StoreSimulator
    private let ledger = InMemoryLedger()
    private let clock = ManualClock()

    init() throws {
        let products = [
            ConfiguredProduct(
                id: "pro.yearly", type: .autoRenewableSubscription, price: Milliunits(19_990),
                subscription: ConfiguredSubscription(groupID: "pro", level: 1, period: .year))
        ]
        let state = SimulatorState(
            seed: 1, now: Sample.at(0), app: .init(bundleID: "com.example.app"), accounts: ["customer"])
        simulator = StoreSimulator(
            configuration: StoreConfiguration(products: products), signer: try SimulatorSigner(), state: state)
    }

    /// Launches the app: a new service over the same ledger.
    ///
    /// - Parameters:
    ///   - start: The number of the device's start.
    ///   - uptime: The days since then.
    private func launch(store: (any Store)? = nil, start: Int = 0, uptime days: Int = 0) -> PurchaseService {
        let policy = VerificationPolicy(apps: [.init(bundleID: "com.example.app")])
        let verifier = ReceiptVerifier(policy: policy, trustAnchors: simulator.signer.trustAnchors, clock: clock.now)
        return PurchaseService(
            store: store ?? simulator.customer("customer"), ledger: ledger, verifier: verifier,
            environment: PurchaseEnvironment(
                timer: StoppedTimer(),
                uptime: { DeviceUptime(startID: UUIDText("start \(start)"), milliseconds: Int64(days) * Sample.day) },
                clock: clock.now))
    }

    private func entitlements(_ service: PurchaseService) async throws -> Entitlements {
        let catalog = TemplatePriceCatalog(version: 1, proProductIDs: ["pro.yearly"])
        return EntitlementProjection(catalog: catalog)
            .entitlements(from: try await service.evidence(), clock: clock.now())
    }

    @Test("[defect 9] a clock set back while the store answers does not lengthen a cancelled subscription")
    func setBackOnline() async throws {
        _ = await launch().purchase(productID: "pro.yearly")
        try simulator.perform { try $0.advance(byMilliseconds: 10 * Sample.day) }
        let subscription = try #require(simulator.state.subscriptions.first?.id)
        try simulator.perform { try $0.cancelRenewal(subscription) }
        clock.set(Sample.at(day: 10))
        #expect(try await entitlements(launch()).isPro)
        clock.set(Sample.at(10 * Sample.day + 3_600_000))
        try simulator.perform { try $0.advance(byMilliseconds: 400 * Sample.day) }
        let ended = try await entitlements(launch())
        #expect(!ended.isPro)
        #expect(ended.denials == ["pro.yearly": .expired])
    }

    @Test("[defect 9] a clock that stands still while the store answers does not keep a subscription that it lacks")
    func stoppedOnline() async throws {
        for restarts in [false, true] {
            let app = try ClockAttackTests()
            _ = await app.launch().purchase(productID: "pro.yearly")
            // It neither lists the subscription nor has it in its history, which would be signed anew.
            let store = ScriptedStore()
            var days: [Int] = []
            for day in 0..<40 {
                let service = restarts ? app.launch(store: store, start: day) : app.launch(store: store, uptime: day)
                if try await app.entitlements(service).isPro { days.append(day) }
            }
            // A day of uptime confirms that the store lists nothing, and so do 24 restarts.
            #expect(days == Array(0..<(restarts ? 24 : 1)), "restarts: \(restarts)")
        }
    }

    @Test("[defect 9] a clock that was ahead while the store answered denies nothing offline after it is corrected")
    func aheadOnline() async throws {
        _ = await launch().purchase(productID: "pro.yearly")
        clock.set(Sample.at(day: 400))
        #expect(try await entitlements(launch()).isPro, "the store lists it")
        clock.set(Sample.at(day: 1))
        let offline = ScriptedStore()
        await offline.fail(StoreError(.network, "down"))
        for day in 1...3 {
            clock.set(Sample.at(day: day))
            #expect(try await entitlements(launch(store: offline)).isPro)
        }
    }

    /// What a customer does with the device before each launch, a day after the last one.
    private enum Habit: String, CaseIterable {
        case sameTime, minuteLater, restartAtSameTime, restartMinuteLater

        var restarts: Bool { self == .restartAtSameTime || self == .restartMinuteLater }
        var minutes: Int64 { self == .minuteLater || self == .restartMinuteLater ? 1 : 0 }
    }

    @Test("[defect 8] a clock that is set to one day before each of 720 launches offline does not keep a subscription")
    func stoppedClock() async throws {
        for habit in Habit.allCases {
            let app = try ClockAttackTests()
            _ = await app.launch().purchase(productID: "pro.yearly")
            let offline = ScriptedStore()
            await offline.fail(StoreError(.network, "down"))
            var last = 0
            for day in 1...720 {
                app.clock.set(Sample.at(5 * Sample.day + Int64(day) * habit.minutes * 60_000))
                let service =
                    habit.restarts
                    ? app.launch(store: offline, start: day) : app.launch(store: offline, uptime: day)
                let entitlements = try await app.entitlements(service)
                if entitlements.isPro {
                    last = day
                } else {
                    #expect(entitlements.denials == ["pro.yearly": habit.restarts ? .unconfirmed : .expired])
                    #expect(await service.currentEntitlements().isEmpty)
                }
            }
            // The clock shows the fifth day at the first launch, so the days are counted from there.
            let latest = habit.restarts ? 365 + 30 : 365 + 1
            #expect(last >= 360 && last <= latest, "\(habit): Pro until day \(last)")
        }
    }

    @Test("[defect 8] a subscription that is denied as unconfirmed is back with an answer of the store")
    func answerAfterStoppedClock() async throws {
        _ = await launch().purchase(productID: "pro.yearly")
        let offline = ScriptedStore()
        await offline.fail(StoreError(.network, "down"))
        for start in 1...400 { _ = try await launch(store: offline, start: start).evidence() }
        #expect(try await entitlements(launch(store: offline, start: 401)).denials == ["pro.yearly": .unconfirmed])
        #expect(try await entitlements(launch(start: 402)).isPro)
        #expect(try await entitlements(launch(store: offline, start: 403)).isPro, "the restarts are counted anew")
    }

    @Test("[defect 9] a customer with a correct clock keeps a subscription to its end, through restarts and crashes")
    func correctClock() async throws {
        _ = await launch().purchase(productID: "pro.yearly")
        let offline = ScriptedStore()
        await offline.fail(StoreError(.network, "down"))
        var start = 0
        for day in 1...364 {
            clock.set(Sample.at(day: day))
            // A restart each day, and two more on the days of a month.
            for _ in 0..<(day % 30 == 0 ? 3 : 1) {
                start += 1
                #expect(try await entitlements(launch(store: offline, start: start)).isPro, "day \(day)")
            }
        }
        // An app that crashes at each launch.
        for _ in 0..<500 { _ = try await launch(store: offline, start: start).evidence() }
        #expect(try await entitlements(launch(store: offline, start: start)).isPro)
        clock.set(Sample.at(day: 370))
        #expect(try await entitlements(launch(store: offline, start: start)).denials == ["pro.yearly": .expired])
    }
}

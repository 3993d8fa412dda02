import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Runs ninety random operations of a store, its customers, an app and its users on one device, with disturbances.
///
/// Tasks run in any order, so two runs of a seed differ. What the soak checks holds for every order.
final class Soak {
    static let operationCount = 90
    /// A call has not returned within its deadline.
    struct Hang: Error {
        let reason: String
    }

    /// The number of times that one operation can wait for the app's callbacks, each time for a deadline.
    private static let callbackWaits = 20
    /// The number of findings that nothing goes on after which a wait counts as endless.
    ///
    /// They take a minute and a half, so that a slow machine does not look like a call that hangs.
    private static let patience = 60

    let seed: UInt64
    let device: SoakDevice
    private(set) var operations: [String] = []
    private var generator: SplitMix64
    private var processes: [SoakProcess] = []
    private var lastProcess: UInt64 = 0
    private var user: AppUser
    /// The number of processes that have ended.
    private(set) var endedProcessCount = 0

    private static let anna = AppUser.signedIn(UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d"))
    private static let bert = AppUser.signedIn(UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d"))
    private static let products = ["coins", "coins", "coins", "template.a", "pro.season", "pro.monthly", "pro.yearly"]

    init(seed: UInt64, signer: SimulatorSigner, verifier: ReceiptVerifier) {
        self.seed = seed
        generator = SplitMix64(seed: seed)
        device = SoakDevice(
            RecordedStore(seed: seed, signer: signer), verifier, takesPlatformVerdict: seed % 7 < 3,
            hasTwoProcesses: seed % 5 == 2)
        user = seed % 3 == 0 ? Self.anna : .noAccounts
    }

    /// The users of the app; one without an account if the app has none.
    var users: [AppUser] { seed % 3 == 0 ? [Self.anna, Self.bert] : [.noAccounts] }
    /// Whether the store's customer changes.
    var changesCustomer: Bool { seed % 4 == 1 }
    /// The customers of the store that are signed in on the device; the last one in the end.
    var accounts: [String] { changesCustomer ? ["two", "one"] : ["one"] }
    var crashes: Bool { seed % 5 < 2 }
    var hasTwoProcesses: Bool { device.hasTwoProcesses }

    // MARK: Time

    /// Runs calls concurrently, and lets time pass while they wait for a call that hangs.
    private func drive(
        _ name: String, awaitsCallbacks: Bool = true, _ calls: [@Sendable () async -> Void]
    ) async throws(Hang) {
        operations.append(name)
        let remaining = Locked(calls.count)
        for call in calls {
            Task {
                await call()
                remaining.withLock { $0 -= 1 }
            }
        }
        // A service promises a deadline for each part that it calls, and none for a whole call. So time passes for two
        // reasons only. Each part that hangs takes its own deadline, at which the service must give it up. And the
        // app's callbacks, which call the service, can wait for each other: such a wait ends at the deadline of the
        // fulfiller, or at that of the verifier, which is the same, and there can be a few of them. Without callbacks,
        // a call must return as soon as the parts that hang are given up.
        let waits = awaitsCallbacks ? Self.callbackWaits : 0
        var findings = 0
        var idle = Idleness()
        while remaining.withLock({ $0 }) > 0 {
            if let hanging = device.disturbances.nextArrival() {
                device.timer.advance(by: hanging.call.deadline)
                try await expectEnd(of: hanging)
                idle.end()
            } else if await idle.goesOn() {
                findings += 1
                if findings <= waits { device.timer.advance(by: DisturbedCall.fulfil.deadline) }
            }
            guard findings <= Self.patience, !Task.isCancelled else {
                throw Hang(reason: "the last operation has not returned within its deadline")
            }
        }
    }

    /// Waits until the service has given up a call whose deadline has passed, without letting more time pass.
    private func expectEnd(of hanging: HangingCall) async throws(Hang) {
        guard hanging.call.isCancelledAtDeadline else { return }
        var findings = 0
        var idle = Idleness()
        while !hanging.hasEnded {
            if await idle.goesOn() { findings += 1 }
            guard findings <= Self.patience, !Task.isCancelled else {
                throw Hang(reason: "the service has not given up a call at its deadline: \(hanging.call)")
            }
        }
    }

    // MARK: Processes

    private func launch() async {
        lastProcess += 1
        let step = crashes ? Int.random(in: 20...600, using: &generator) : .max
        let reentry = Reentry(seed: seed &* 1000 &+ lastProcess, rarity: 12)
        processes.append(await SoakProcess(device, user: user, crashingAt: step, reentry: reentry))
    }

    /// Kills the oldest process: none of its calls has an effect from here on.
    private func kill() async {
        let process = processes.removeFirst()
        endedProcessCount += 1
        await process.crash.crash()
        await process.stop()
    }

    /// Ends a process after everything that it has begun, except calls that hang.
    private func end(_ process: SoakProcess) async throws(Hang) {
        endedProcessCount += 1
        await process.stop()
        try await drive("the process ends") {
            await process.listener.value
            await process.reentry.ended()
            await process.service.resumeUnfinishedPurchases()
        }
        await process.crash.crash()
    }

    private func drive(_ name: String, _ call: @escaping @Sendable () async -> Void) async throws(Hang) {
        try await drive(name, [call])
    }

    // MARK: Operations

    /// Runs the operations, and ends all processes.
    func run() async throws {
        await launch()
        for _ in 0..<Self.operationCount {
            if let process = processes.first, await process.crash.hasCrashed { await kill() }
            if processes.isEmpty {
                operations.append("launch after a crash")
                await launch()
            }
            try await perform()
        }
        device.clockError.withLock { $0 = 0 }
        await device.wallet.setReachable(true)
        await device.disturbances.end()
        for process in processes {
            try await end(process)
        }
        processes = []
        // Every claim of a killed process ends.
        await run("an hour passes") { try $0.advance(byMilliseconds: 3_600_000) }
    }

    private func run(
        _ name: String, _ command: @escaping @Sendable (inout SimulatorEngine) throws -> Void
    ) async {
        operations.append(name)
        await device.server.run(RecordedStore.Command(name: name, run: command))
    }

    private func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &generator)]
    }

    private func perform() async throws(Hang) {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0...4: await performCommand()
        case 5: await performChange()
        case 6:
            operations.append("late answers arrive")
            await device.disturbances.release()
        case 7:
            if processes.count > 1 || !hasTwoProcesses {
                operations.append("relaunch")
                if crashes { await kill() } else { try await end(processes.removeFirst()) }
            }
            await launch()
        default: try await callService()
        }
    }

    /// Changes the store.
    private func performCommand() async {
        let choice = Int.random(in: 0..<100, using: &generator)
        let number = Int.random(in: 0..<1_000, using: &generator)
        @Sendable func transaction(_ engine: SimulatorEngine) -> String {
            engine.state.transactions.isEmpty
                ? "none" : engine.state.transactions[number % engine.state.transactions.count].id
        }
        @Sendable func subscription(_ engine: SimulatorEngine) -> String {
            engine.state.subscriptions.last?.id ?? "none"
        }
        switch choice {
        case 0..<15: await run("hours pass") { try $0.advance(byMilliseconds: Int64(number) * 60_000) }
        case 15..<40: await run("days pass") { try $0.advance(byMilliseconds: Int64(1 + number % 40) * Sample.day) }
        case 40..<55: await run("a refund") { try $0.refund(transaction($0)) }
        case 55..<60: await run("a refund is reversed") { try $0.reverseRefund(transaction($0)) }
        case 60..<64: await run("renewal is off") { try $0.cancelRenewal(subscription($0)) }
        case 64..<68: await run("renewal is on") { try $0.resumeRenewal(subscription($0)) }
        case 68..<76: await run("billing fails") { try $0.setBillingIssue(true, subscription($0)) }
        case 76..<82: await run("billing recovers") { try $0.setBillingIssue(false, subscription($0)) }
        case 82..<87: await run("a renewal") { try $0.renew(subscription($0)) }
        case 87..<90: await run("a subscription ends") { try $0.expire(subscription($0)) }
        case 90..<93:
            let product = number.isMultiple(of: 2) ? "pro.yearly" : "pro.monthly"
            await run("a change to \(product)") { _ = try $0.changePlan(subscription($0), to: product) }
        case 93..<96: await run("Ask to Buy changes") { $0.updateSettings { $0.isAskToBuyEnabled.toggle() } }
        default:
            await run("an approval") { engine in
                if let order = engine.state.pending.first { _ = try engine.approve(order.id) }
            }
        }
    }

    /// Changes the device.
    private func performChange() async {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0 where changesCustomer:
            let account = pick(accounts)
            operations.append("the store's customer is \(account)")
            device.account.withLock { $0 = account }
        case 1:
            let isReachable = !generator.once(in: 2)
            operations.append("the app's server is \(isReachable ? "reachable" : "unreachable")")
            await device.wallet.setReachable(isReachable)
        default:
            let days = pick([0, 0, 400, -400, 1])
            operations.append("the device's clock is \(days) days ahead")
            device.clockError.withLock { $0 = Int64(days) * Sample.day }
        }
    }

    /// Makes one to three calls at once, at random with a disturbance.
    private func callService() async throws(Hang) {
        var name = ""
        if generator.once(in: 3) {
            let call = pick(DisturbedCall.allCases)
            var kinds = Disturbances.Kind.possible(for: call)
            // The core has cancelled such a call, and the other process has taken over the order, when it takes effect.
            if call == .fulfil, hasTwoProcesses { kinds.removeAll { $0 == .beginsLate } }
            let kind = pick(kinds)
            name = "[\(call) \(kind)] "
            device.disturbances.arm(call, kind)
        }
        var calls: [Call] = []
        for _ in 0..<(generator.once(in: 3) ? 3 : 1) {
            let call = nextCall(pick(processes))
            name += "\(call.name); "
            calls.append(call)
        }
        try await drive(name, awaitsCallbacks: calls.contains(where: \.awaitsCallbacks), calls.map { $0.body })
    }

    /// A call of the service by the app.
    private struct Call {
        let name: String
        /// Whether it can wait for the app's callbacks.
        var awaitsCallbacks = true
        let body: @Sendable () async -> Void

        static func purchase(_ name: String, _ body: @escaping @Sendable () async -> Void) -> Call {
            Call(name: name) { await PurchaseCall.make(body) }
        }
    }

    private func nextCall(_ process: SoakProcess) -> Call {
        let service = process.service
        switch Int.random(in: 0..<14, using: &generator) {
        case 0, 1, 2, 3, 4: return nextPurchase(process)
        case 5: return Call(name: "resume") { await service.resumeUnfinishedPurchases() }
        case 6: return Call(name: "restore") { _ = try? await service.requestAllPurchaseHistory() }
        case 7: return Call(name: "current entitlements") { _ = await service.currentEntitlements() }
        case 8:
            return Call(name: "products", awaitsCallbacks: false) {
                _ = try? await service.products(for: ["coins", "pro.monthly"])
            }
        case 9:
            return Call(name: "pending purchases", awaitsCallbacks: false) {
                _ = try? await service.pendingPurchases()
            }
        case 10 where users.count > 1:
            user = pick([Self.anna, Self.bert, .signedOut])
            let entitlements = process.entitlements
            guard case .signedIn(let account) = user else {
                return Call(name: "sign out") { await entitlements.changeUser { await service.signOut() } }
            }
            return Call(name: "sign in \(account)") {
                await entitlements.changeUser { await service.signIn(account) }
            }
        default: return Call(name: "refresh") { [entitlements = process.entitlements] in await entitlements.refresh() }
        }
    }

    private func nextPurchase(_ process: SoakProcess) -> Call {
        let product = pick(Self.products)
        let (service, entitlements) = (process.service, process.entitlements)
        let observers = [SoakObserver(reentry: process.reentry)]
        switch product {
        case "template.a":
            let coordinator = TemplatePurchaseCoordinator(
                purchaseService: service, entitlementRefresher: entitlements, observers: observers)
            return .purchase("buy \(product)") {
                _ = await coordinator.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: product)
            }
        case "coins":
            let quantity = Int.random(in: 1...3, using: &generator)
            return .purchase("buy \(quantity) coins") {
                _ = await service.purchase(productID: product, options: PurchaseOptions(quantity: quantity))
            }
        default:
            let coordinator = ProSubscriptionCoordinator(
                purchaseService: service, entitlementRefresher: entitlements, observers: observers)
            return .purchase("buy \(product)") { _ = await coordinator.buyPro(productID: product) }
        }
    }
}

private struct SoakObserver: PurchaseOutcomeObserving {
    let reentry: Reentry
    func purchaseEnded(_ report: PurchaseReport) { reentry.start() }
}

/// Finds out when all tasks wait, so that only a deadline can end the wait.
///
/// A slow machine looks the same for a while: each time that nothing goes on after a deadline, the next finding takes
/// longer.
private struct Idleness {
    private let clock = ContinuousClock()
    private var begin = ContinuousClock.now
    private var findings = 0

    /// Something went on.
    mutating func end() { (begin, findings) = (clock.now, 0) }

    /// Lets the other tasks go on for a moment; returns whether they have waited for long enough.
    mutating func goesOn() async -> Bool {
        for _ in 0..<100 { await Task.yield() }
        await MainActor.run {}
        guard begin.duration(to: clock.now) >= .milliseconds(50) * (findings + 1) else { return false }
        (begin, findings) = (clock.now, findings + 1)
        return true
    }
}

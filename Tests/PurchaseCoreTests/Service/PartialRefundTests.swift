import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import Testing
import TimerSupport

/// What the fulfiller receives for the versions of a consumable whose items are refunded one after the other.
@Suite("Partial refunds of consumables", .timeLimit(.minutes(15)))
struct PartialRefundTests {
    private actor Orders: PurchaseFulfilling {
        private(set) var orders: [FulfilmentOrder] = []
        var quantities: [Int] { orders.map(\.quantity) }
        func fulfil(_ order: FulfilmentOrder) async throws { orders.append(order) }
    }

    private struct Crashing: PurchaseFulfilling {
        let simulator: CrashSimulator
        let orders: Orders
        func fulfil(_ order: FulfilmentOrder) async throws {
            try await simulator.run("fulfil") { try await orders.fulfil(order) }
        }
    }

    private static func coins(_ quantity: Int32, signed: Int64, left: Int32? = nil) -> JWSTransactionDecodedPayload {
        Sample.payload("1", "coins", signed: Sample.at(signed)) { payload in
            payload.quantity = quantity
            guard let left else { return }
            payload.revocationDate = Sample.at(1)
            payload.revocationPercentage = left == 0 ? nil : (quantity - left) * 100_000 / quantity
        }
    }

    private func harness(_ orders: Orders) -> (ServiceHarness, @Sendable () -> PurchaseService) {
        let harness = ServiceHarness()
        return (
            harness,
            {
                PurchaseService(
                    store: harness.store, ledger: harness.ledger, verifier: harness.verifier, fulfiller: orders,
                    environment: harness.environment)
            }
        )
    }

    @Test("a partial refund is handed over although the granted version cannot be verified at that moment")
    func partialRefundWithoutGrantedVersion() async throws {
        let orders = Orders()
        let (harness, launch) = harness(orders)
        let first = harness.verifier.sign(Self.coins(5, signed: 0))
        await harness.store.deliver(first)
        await launch().resumeUnfinishedPurchases()
        harness.verifier.fail(first.signedText, with: VerificationFailure(code: .verificationTimedOut))
        await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 2, left: 3)))
        await launch().resumeUnfinishedPurchases()
        harness.verifier.fail(first.signedText, with: nil)
        let later = launch()
        await later.resumeUnfinishedPurchases()
        _ = try await later.evidence()
        #expect(await orders.quantities == [5, 3])
    }

    @Test("the reversal of a partial refund is handed over although the refunded version cannot be verified")
    func reversalWithoutGrantedVersion() async throws {
        let orders = Orders()
        let (harness, launch) = harness(orders)
        await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 0)))
        await launch().resumeUnfinishedPurchases()
        let refund = harness.verifier.sign(Self.coins(5, signed: 2, left: 3))
        await harness.store.deliver(refund)
        await launch().resumeUnfinishedPurchases()
        #expect(await orders.quantities == [5, 3])
        harness.verifier.fail(refund.signedText, with: VerificationFailure(code: .verificationTimedOut))
        await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 4)))
        await launch().resumeUnfinishedPurchases()
        harness.verifier.fail(refund.signedText, with: nil)
        await launch().resumeUnfinishedPurchases()
        #expect(await orders.quantities == [5, 3, 5])
    }

    @Test("the documented fulfiller credits what the customer has paid for")
    func documentedFulfiller() async throws {
        actor Server: PurchaseFulfilling {
            private var credited: [String: Int] = [:]
            private(set) var balance = 0
            // The example of `PurchaseFulfilling`, with the server that its comment describes.
            func fulfil(_ order: FulfilmentOrder) async throws {
                guard order.transaction.productID == "coins" else { return }
                let coins = 100 * order.quantity
                balance += coins - (credited.updateValue(coins, forKey: order.key.description) ?? 0)
            }
        }
        for isFirstHeard in [true, false] {
            let server = Server()
            let harness = ServiceHarness()
            let service = PurchaseService(
                store: harness.store, ledger: harness.ledger, verifier: harness.verifier, fulfiller: server,
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            if isFirstHeard {
                await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 0)))
                await service.resumeUnfinishedPurchases()
            }
            await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 2, left: 3)))
            await service.resumeUnfinishedPurchases()
            #expect(try await harness.entitlements(service).balances == ["coins": 3])
            #expect(await server.balance == 300, "isFirstHeard \(isFirstHeard)")
        }
    }

    @Test("a process killed at any step of a purchase, its partial refund and the reversal leaves the last amount")
    func crashes() async throws {
        let all: [JWSTransactionDecodedPayload] = [
            Self.coins(5, signed: 0), Self.coins(5, signed: 2, left: 3), Self.coins(5, signed: 4),
            Self.coins(5, signed: 6, left: 1), Self.coins(5, signed: 8, left: 0),
        ]
        for (count, expected) in [(2, 3), (3, 5), (4, 1), (5, 0)] {
            var step = 1
            while step < 200 {
                let orders = Orders()
                let harness = ServiceHarness()
                let simulator = CrashSimulator(crashingAt: step)
                func service(_ simulator: CrashSimulator) -> PurchaseService {
                    PurchaseService(
                        store: harness.store, ledger: CrashingLedger(harness.ledger, simulator),
                        verifier: harness.verifier, fulfiller: Crashing(simulator: simulator, orders: orders),
                        environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
                }
                let first = service(simulator)
                for version in all.prefix(count) {
                    await harness.store.deliver(harness.verifier.sign(version))
                    await first.resumeUnfinishedPurchases()
                }
                let hasCrashed = await simulator.hasCrashed
                harness.clock.set(Sample.at(PurchaseService.claimDurationMilliseconds + 1))
                let next = service(CrashSimulator(crashingAt: .max))
                for _ in 0..<2 { await next.resumeUnfinishedPurchases() }
                let quantities = await orders.quantities
                let isRight = quantities.last == expected || quantities.isEmpty && expected == 0
                #expect(isRight, "\(count) versions, step \(step): \(quantities)")
                let balance = try await harness.entitlements(next).balances["coins"] ?? 0
                #expect(balance == expected, "\(count) versions, step \(step)")
                #expect(await harness.store.unfinished.isEmpty)
                if !hasCrashed { break }
                step += 1
            }
            #expect(step > 20)
        }
    }

    @Test("two services that process the versions of a purchase at once end with the last amount")
    func concurrentVersions() async throws {
        for seed in 0..<150 {
            let orders = Orders()
            let (harness, launch) = harness(orders)
            let services = [launch(), launch()]
            let versions: [JWSTransactionDecodedPayload] = [
                Self.coins(5, signed: 0), Self.coins(5, signed: 2, left: 3), Self.coins(5, signed: 4),
                Self.coins(5, signed: 6, left: 1),
            ]
            let listeners = services.map { $0.listenForTransactions { _ in } }
            for index in 0..<4 {
                let version = versions[(index &* 3 &+ seed) % 4]
                // Each process receives its own signature of the version in every other run.
                harness.store.send(.transaction(harness.verifier.sign(version)))
                if seed.isMultiple(of: 2) { harness.store.send(.transaction(harness.verifier.sign(version))) }
                for _ in 0..<(seed % 7) * 10 { await Task.yield() }
            }
            harness.store.endUpdates()
            for listener in listeners { await listener.value }
            for _ in 0..<2 {
                for service in services { await service.resumeUnfinishedPurchases() }
            }
            harness.timer.advance(by: 200_000)
            for service in services { _ = await service.waitUntilHandedOver(productID: "coins") }
            let quantities = await orders.quantities
            #expect(quantities.last == 1, "seed \(seed): \(quantities)")
        }
    }

    @Test("the same Play consumable twice, the second refunded, over two services: one item each")
    func twoServices() async throws {
        let orders = Orders()
        let (harness, launch) = harness(orders)
        let services = [launch(), launch()]
        for token in ["p1", "p2"] {
            await harness.store.deliver(harness.verifier.sign(Sample.playPurchase(token, "coins") { $0.quantity = 3 }))
        }
        await withTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { await service.resumeUnfinishedPurchases() } }
        }
        for service in services { await service.resumeUnfinishedPurchases() }
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.playPurchase("p2", "coins") {
                    $0.quantity = 3
                    $0.purchaseState = .cancelled
                }))
        for service in services { await service.resumeUnfinishedPurchases() }
        #expect(await orders.quantities == [3, 3, 0])
        #expect(try await harness.entitlements(services[1]).balances == ["coins": 3])
    }

    @Test("partial refund, full refund and reversals in every order of delivery end with the last signature")
    func refundOrders() async throws {
        let versions: [JWSTransactionDecodedPayload] = [
            Self.coins(5, signed: 0), Self.coins(5, signed: 2, left: 3), Self.coins(5, signed: 3, left: 0),
            Self.coins(5, signed: 4, left: 3), Self.coins(5, signed: 5),
        ]
        var orderings: [[Int]] = [[]]
        for index in versions.indices {
            orderings = orderings.flatMap { ordering in
                (0...ordering.count).map { place in
                    var next = ordering
                    next.insert(index, at: place)
                    return next
                }
            }
        }
        for (number, ordering) in orderings.enumerated() {
            let orders = Orders()
            let (harness, launch) = harness(orders)
            var service = launch()
            for index in ordering {
                await harness.store.deliver(harness.verifier.sign(versions[index]))
                if number.isMultiple(of: 2) { service = launch() }
                await service.resumeUnfinishedPurchases()
            }
            #expect(await orders.quantities.last == 5, "\(ordering)")
            #expect(try await harness.entitlements(service).balances == ["coins": 5], "\(ordering)")
            #expect(try await harness.ledger.entries().allSatisfy { $0.stage == .finished }, "\(ordering)")
        }
    }

    private struct Delayed: PurchaseFulfilling {
        let gate: Gate?
        let orders: Orders
        func fulfil(_ order: FulfilmentOrder) async throws {
            await gate?.pass()
            try await orders.fulfil(order)
        }
    }

    @Test("an order of a service that has lost its claim, carried out after a partial refund, is corrected")
    func lostClaim() async throws {
        for left in [0, 3] as [Int32] {
            let harness = ServiceHarness()
            let (orders, gate) = (Orders(), Gate())
            func service(_ gate: Gate?) -> PurchaseService {
                PurchaseService(
                    store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
                    fulfiller: Delayed(gate: gate, orders: orders),
                    environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            }
            let (slow, other) = (service(gate), service(nil))
            await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 0)))
            let running = Task { await slow.resumeUnfinishedPurchases() }
            await gate.arrived()
            harness.clock.set(Sample.at(PurchaseService.claimDurationMilliseconds + 1))
            await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 2, left: left)))
            for _ in 0..<2 { await other.resumeUnfinishedPurchases() }
            #expect(await orders.quantities.last == Int(left))
            await gate.open()
            await running.value
            for service in [slow, other] { await service.resumeUnfinishedPurchases() }
            let quantities = await orders.quantities
            #expect(quantities.contains(5))
            #expect(quantities.last == Int(left), "\(quantities)")
        }
    }

    @Test("an order that was not recorded is repeated if another service has carried out a different one since")
    func contestedOrder() async throws {
        let orders = Orders()
        let (harness, launch) = harness(orders)
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: orders, environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        await simulator.failLedger(.grant)
        await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 0)))
        await service.resumeUnfinishedPurchases()
        harness.clock.set(Sample.at(PurchaseService.claimDurationMilliseconds + 1))
        await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 2, left: 3)))
        await launch().resumeUnfinishedPurchases()
        // The other service repeats the order for five if it has not recorded the refund before.
        let earlier = await orders.quantities
        #expect(earlier == [5, 3] || earlier == [5, 5, 3])
        await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 4)))
        await service.resumeUnfinishedPurchases()
        #expect(await orders.quantities == earlier + [5])
    }

    @Test("an order after a partial refund that was carried out and not recorded is not repeated")
    func repeatedAfterFailedRecord() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        await harness.fulfiller.setReachable(false)
        await harness.store.deliver(harness.verifier.sign(Self.coins(5, signed: 0)))
        await service.resumeUnfinishedPurchases()
        harness.timer.advance(by: 4_000)
        await harness.fulfiller.setReachable(true)
        await simulator.failLedger(.grant)
        let refund = harness.verifier.sign(Self.coins(5, signed: 2, left: 3))
        await harness.store.deliver(refund)
        _ = try await service.requestAllPurchaseHistory()
        #expect(await harness.fulfiller.orders.map(\.quantity) == [3])
        // The attempt for the first version, and then the one for the refund.
        harness.timer.advance(by: 1_000)
        for _ in 0..<2_000 { await Task.yield() }
        harness.timer.advance(by: 20_000)
        _ = await service.waitUntilHandedOver(productID: "coins")
        let quantities = await harness.fulfiller.orders.map(\.quantity)
        #expect(quantities == [3])
    }

    @Test("a partial refund while the app was closed reaches the fulfiller under the platform's verdict")
    func partialRefundUnderPlatformVerdict() async throws {
        for trustsLedger in [true, false] {
            let platform = try SimulatedPlatform()
            let orders = Orders()
            func launch() -> PurchaseService {
                let store = PlatformStore(platform.simulator.customer("customer"), trustsLedger: trustsLedger)
                let simulator = platform.simulator
                return PurchaseService(
                    store: store, ledger: platform.ledger, verifier: store.verifier, fulfiller: orders,
                    environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
            }
            _ = await launch().purchase(productID: "coins", options: PurchaseOptions(quantity: 5))
            #expect(await orders.quantities == [5])
            try platform.simulator.perform { engine in
                try engine.advance(byMilliseconds: 1000)
                try engine.refund(engine.state.transactions[0].id, share: .quantity(2))
            }
            let next = launch()
            await next.resumeUnfinishedPurchases()
            #expect(try await platform.entitlements(next).balances == ["coins": 3])
            #expect(await orders.quantities == [5, 3], "trustsLedger \(trustsLedger)")
            #expect(platform.simulator.engine.unfinishedTransactions(of: "customer").isEmpty)
        }
    }
}

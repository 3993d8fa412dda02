import Dispatch
import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Calls the service from each of the app's parts that the service calls. A wait that includes itself would never end.
@Suite("Calls of the service from its callbacks", .timeLimit(.minutes(15)))
struct ReentryTests {
    /// Calls everything that a service and an entitlement store offer.
    private final class Caller: Sendable {
        private let target = Locked<(service: PurchaseService, entitlements: EntitlementStore)?>(nil)
        private let isFirst = Locked(true)
        private let ended = Locked<[PurchaseOutcome]>([])
        private let gate = Gate()
        var outcomes: [PurchaseOutcome] { ended.withLock { $0 } }

        func connect(_ harness: ServiceHarness, _ service: PurchaseService) {
            let entitlements = harness.entitlementStore(service)
            target.withLock { $0 = (service, entitlements) }
        }

        /// Calls everything, the first time only.
        func call(buying products: [String]) async {
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isFirst, let (service, entitlements) = target.withLock({ $0 }) else { return }
            await entitlements.refresh()
            await service.resumeUnfinishedPurchases()
            _ = try? await service.requestAllPurchaseHistory()
            _ = await service.currentEntitlements()
            for product in products {
                let outcome = PurchaseResultMapping.outcome(of: await service.purchase(productID: product))
                ended.withLock { $0.append(outcome) }
            }
            _ = try? await service.pendingPurchases()
            await gate.open()
            await gate.pass()
        }

        /// Returns when the calls have returned.
        func returned() async { await gate.arrived() }
    }

    /// Buys products whenever the service orders a fulfilment.
    private struct Fulfiller: PurchaseFulfilling {
        let caller: Caller
        let products: [String]

        func fulfil(_ order: FulfilmentOrder) async throws { await caller.call(buying: products) }
    }

    /// Returns a service with these callbacks, and the caller that calls it from them.
    private func connected(
        verifier: ((ScriptedVerifier, Caller) -> any TransactionVerifying)? = nil,
        fulfiller: ((Caller) -> any PurchaseFulfilling)? = nil,
        log: ((Caller) -> any PurchaseLog)? = nil
    ) -> (harness: ServiceHarness, caller: Caller, service: PurchaseService) {
        let (harness, caller) = (ServiceHarness(), Caller())
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger,
            verifier: verifier?(harness.verifier, caller) ?? harness.verifier,
            fulfiller: fulfiller?(caller) ?? harness.fulfiller,
            environment: PurchaseEnvironment(
                log: log?(caller) ?? harness.log, timer: harness.timer, clock: harness.clock.now))
        caller.connect(harness, service)
        return (harness, caller, service)
    }

    private func buy(_ productID: String, _ service: PurchaseService) async -> PurchaseOutcome {
        PurchaseResultMapping.outcome(of: await service.purchase(productID: productID))
    }

    @Test("a fulfiller can refresh, restore and buy, the product of its own order too")
    func fulfiller() async throws {
        let (harness, caller, service) = connected(fulfiller: {
            Fulfiller(caller: $0, products: ["coins", "gems", "template.a", "template.a"])
        })
        #expect(await buy("coins", service) == .success)
        #expect(caller.outcomes == [.success, .success, .success, .alreadyOwned])
        #expect(try await harness.entitlements(service).balances == ["coins": 2, "gems": 1])
        #expect(await harness.store.unfinished.isEmpty)
    }

    @Test("a fulfiller can buy the non-consumable of its own order again, which is pending and sold once")
    func fulfillerOfOwned() async throws {
        let (harness, caller, service) = connected(fulfiller: { Fulfiller(caller: $0, products: ["template.a"]) })
        #expect(await buy("template.a", service) == .success)
        #expect(caller.outcomes == [.pending(.notHandedOver)])
        #expect(await harness.store.sales == ["template.a"])
    }

    /// A fulfiller that calls the service in each order.
    private final class Calling: PurchaseFulfilling {
        let gate = Gate()
        private let service = Locked<PurchaseService?>(nil)
        private let answers = Locked<[Bool]>([])
        private let call: @Sendable (PurchaseService, FulfilmentOrder) async -> Bool
        var results: [Bool] { answers.withLock { $0 } }

        init(call: @escaping @Sendable (PurchaseService, FulfilmentOrder) async -> Bool) {
            self.call = call
        }

        func connect(_ harness: ServiceHarness) -> PurchaseService {
            let service = PurchaseService(
                store: harness.store, ledger: harness.ledger, verifier: harness.verifier, fulfiller: self,
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            self.service.withLock { $0 = service }
            return service
        }

        func fulfil(_ order: FulfilmentOrder) async throws {
            await gate.pass()
            guard let service = service.withLock({ $0 }) else { return }
            let answer = await call(service, order)
            answers.withLock { $0.append(answer) }
        }
    }

    @Test("a fulfiller that waits for its own purchase to be handed over does not wait for itself")
    func fulfillerWaitsForItself() async throws {
        let harness = ServiceHarness()
        let fulfiller = Calling { await $0.waitUntilHandedOver(productID: $1.transaction.productID) }
        await fulfiller.gate.open()
        let service = fulfiller.connect(harness)
        #expect(PurchaseResultMapping.outcome(of: await service.purchase(productID: "coins")) == .success)
        #expect(fulfiller.results == [false])
    }

    @Test("fulfillers that restore while they hand over two purchases do not wait for each other")
    func fulfillersRestore() async throws {
        let harness = ServiceHarness()
        let fulfiller = Calling { service, _ in (try? await service.requestAllPurchaseHistory())?.isEmpty == false }
        let service = fulfiller.connect(harness)
        for product in ["coins", "gems", "template.a"] {
            await harness.store.deliver(harness.verifier.sign(Sample.payload(product, product)))
        }
        let running = Task { await service.resumeUnfinishedPurchases() }
        await fulfiller.gate.arrived(3)
        await fulfiller.gate.open()
        await running.value
        #expect(fulfiller.results == [true, true, true])
        #expect(await harness.store.unfinished.isEmpty)
    }

    @Test("fulfillers that wait for each other's purchases return")
    func fulfillersWait() async throws {
        let harness = ServiceHarness()
        let fulfiller = Calling { service, order in
            await service.waitUntilHandedOver(productID: order.transaction.productID == "coins" ? "gems" : "coins")
        }
        let service = fulfiller.connect(harness)
        for product in ["coins", "gems"] {
            await harness.store.deliver(harness.verifier.sign(Sample.payload(product, product)))
        }
        let running = Task { await service.resumeUnfinishedPurchases() }
        await fulfiller.gate.arrived(2)
        await fulfiller.gate.open()
        await running.value
        // The first to wait is told when the other purchase is handed over.
        #expect(fulfiller.results == [false, true])
        #expect(await harness.store.unfinished.isEmpty)
    }

    @Test("a fulfiller can wait for the order of another one that has begun work in the background")
    func backgroundWork() async throws {
        let harness = ServiceHarness()
        let order = Gate()
        let listener = Locked<Task<Void, Never>?>(nil)
        let fulfiller = Calling { service, current in
            if current.transaction.productID == "coins" {
                // It resumes the purchase of the gems. Only the listener waits for that, and not this order.
                let listening = service.listenForTransactions { _ in }
                listener.withLock { $0 = listening }
                await order.pass()
                return true
            }
            async let isHandedOver = service.waitUntilHandedOver(productID: "coins")
            _ = await service.currentEntitlements()
            await order.open()
            return await isHandedOver
        }
        await fulfiller.gate.open()
        let service = fulfiller.connect(harness)
        await harness.store.deliver(harness.verifier.sign(Sample.payload("gems", "gems")))
        #expect(await buy("coins", service) == .success)
        harness.store.endUpdates()
        await listener.withLock { $0 }?.value
        #expect(fulfiller.results == [true, true])
    }

    @Test("a verifier can refresh, restore and buy")
    func verifier() async throws {
        struct Verifier: TransactionVerifying {
            let base: ScriptedVerifier
            let caller: Caller
            func verifyTransaction(
                _ jws: String, at now: Timestamp
            ) async -> VerificationResult<JWSTransactionDecodedPayload> {
                await caller.call(buying: ["template.a", "gems"])
                return base.verifyTransaction(jws, at: now)
            }
            func verifyRenewalInfo(
                _ jws: String, at now: Timestamp
            ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> { base.verifyRenewalInfo(jws, at: now) }
        }
        let (harness, caller, service) = connected(verifier: { Verifier(base: $0, caller: $1) })
        #expect(await buy("template.a", service) == .success)
        #expect(caller.outcomes == [.alreadyOwned, .success])
        #expect(await harness.store.sales == ["template.a", "gems"])
        #expect(await harness.store.unfinished.isEmpty)
        #expect(await harness.fulfiller.orders.count == 2)
    }

    @Test("a listener's handler can refresh, restore and buy")
    func handler() async throws {
        let (harness, caller, service) = connected()
        let listener = service.listenForTransactions { _ in await caller.call(buying: ["coins", "template.a"]) }
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await caller.returned()
        harness.store.endUpdates()
        await listener.value
        #expect(caller.outcomes == [.success, .success])
        #expect(try await harness.entitlements().balances == ["coins": 2])
    }

    @Test("a log can start calls that refresh, restore and buy, before the store has answered the logged purchase")
    func log() async throws {
        struct Log: PurchaseLog {
            let caller: Caller
            func log(_ event: PurchaseLogEvent) {
                guard event.kind == .storeFailed, event.productID == "coins" else { return }
                Task { await caller.call(buying: ["template.b", "gems"]) }
            }
        }
        let (harness, caller, service) = connected(log: { Log(caller: $0) })
        let answer = Gate()
        await harness.store.hold(answer)
        let purchase = Task { await buy("coins", service) }
        await answer.arrived()
        await harness.store.hold(nil)
        let deadline = PurchaseDeadlines().purchaseMilliseconds
        harness.timer.advance(by: deadline)
        await caller.returned()
        #expect(caller.outcomes == [.success, .success])
        #expect(await harness.store.sales == ["template.b", "gems"])
        #expect(await purchase.value == .pending(.noAnswer))
        await answer.open()
    }

    /// Runs its jobs on a thread of its own, so that a callback can block it.
    private final class OwnThread: TaskExecutor {
        private let queue = DispatchQueue(label: "callbacks")

        func enqueue(_ job: consuming ExecutorJob) {
            // Safe: the job is run once.
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test("an observer can wait for calls that refresh, restore and buy, because no lock is held while it is called")
    func observer() async throws {
        struct Observer: PurchaseOutcomeObserving {
            let caller: Caller
            func purchaseEnded(_ report: PurchaseReport) {
                let ended = DispatchSemaphore(value: 0)
                Task {
                    await caller.call(buying: ["template.a", "gems"])
                    ended.signal()
                }
                ended.wait()
            }
        }
        let (_, caller, service) = connected()
        let coordinator = TemplatePurchaseCoordinator(
            purchaseService: service, entitlementRefresher: RefreshCounter(), catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) }, observers: [Observer(caller: caller)])
        await Task(executorPreference: OwnThread()) {
            _ = await coordinator.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "template.a")
        }.value
        #expect(caller.outcomes == [.alreadyOwned, .success])
    }
}

import PurchaseCore
import Testing

@Suite("Concurrent purchases", .timeLimit(.minutes(15)))
struct ConcurrentPurchaseTests {
    @Test("a thousand concurrent calls of one coordinator make one purchase")
    func thousandCallers() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate)
        let refresher = RefreshCounter()
        let observer = OutcomeRecorder()
        let coordinator = TemplatePurchaseCoordinator(
            purchaseService: harness.service, entitlementRefresher: refresher, catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) }, observers: [observer]
        )
        let callers = Gate()
        await callers.open()
        let outcomes = await withTaskGroup(of: PurchaseOutcome.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    await callers.pass()
                    return await coordinator.buyTemplate(
                        templateID: TemplateID(rawValue: "A"), productID: "template.a")
                }
            }
            // Some calls share the running purchase; later ones find that the template is already bought.
            await gate.arrived()
            await callers.arrived(1000)
            await gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 1000)
        #expect(outcomes.contains(.success) && outcomes.allSatisfy { [.success, .alreadyOwned].contains($0) })
        #expect(observer.reports.filter { $0.outcome == .success }.count == 1, "the sale counts once")
        #expect(await harness.store.sales == ["template.a"])
        #expect(await harness.fulfiller.orders.count == 1)
        #expect(await refresher.count == 1000)
    }

    @Test("of calls that share one purchase through several coordinators, the first reports it")
    func reportedOnce() async {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate)
        let observer = OutcomeRecorder()
        @Sendable func buy() async -> PurchaseOutcome {
            await TemplatePurchaseCoordinator(
                purchaseService: harness.service, entitlementRefresher: RefreshCounter(), catalog: Sample.catalog,
                observers: [observer]
            ).buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "template.a")
        }
        let first = Task { await buy() }
        await gate.arrived()
        let callers = Gate()
        await callers.open()
        let second = Task {
            await callers.pass()
            return await buy()
        }
        await callers.arrived()
        // The second call asks the service before this one has an answer.
        _ = try? await harness.service.evidence()
        await gate.open()
        let outcomes = [await first.value, await second.value]
        #expect(outcomes.first == .success)
        let reports = observer.reports.map(\.outcome)
        #expect(reports.filter { $0 == .success }.count == 1)
    }

    @Test("concurrent calls for one product share its purchase, even for a consumable")
    func joining() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate)
        let first = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        // While the store is suspended, these calls can only share the first one.
        let others = (0..<20).map { _ in Task { await harness.service.purchase(productID: "coins") } }
        for _ in 0..<20 { _ = await harness.service.purchase(productID: "template.a") }
        #expect(await gate.arrivals == 1)
        await gate.open()
        for task in [first] + others {
            #expect(PurchaseResultMapping.outcome(of: await task.value) == .success)
        }
    }

    @Test("a purchase of another product fails as purchase-in-progress until the first one ends")
    func anotherProduct() async {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate)
        async let first = harness.service.purchase(productID: "pro.yearly")
        await gate.arrived()
        let answer = await harness.service.purchase(productID: "template.a")
        guard case .failed(let error) = answer else {
            Issue.record("the second purchase did not fail: \(answer)")
            await gate.open()
            return
        }
        #expect((error as? PurchaseFlowError)?.code == .purchaseInProgress)
        await gate.open()
        #expect(PurchaseResultMapping.outcome(of: await first) == .success)
        let second = await harness.service.purchase(productID: "template.a")
        #expect(PurchaseResultMapping.outcome(of: second) == .success)
        #expect(await harness.store.sales == ["pro.yearly", "template.a"])
    }

    @Test(
        "a new purchase can begin after every outcome of the previous one",
        arguments: [
            Result<StorePurchase, StoreError>.success(.userCancelled), .success(.pending),
            .failure(StoreError(.network, "")), .failure(StoreError(.userCancelled, "")),
        ])
    func nextPurchase(answer: Result<StorePurchase, StoreError>) async {
        let harness = ServiceHarness()
        await harness.store.answer("pro.yearly", answer)
        _ = await harness.service.purchase(productID: "pro.yearly")
        let next = await harness.service.purchase(productID: "template.a")
        #expect(PurchaseResultMapping.outcome(of: next) == .success)
        await harness.store.answer("pro.yearly", nil)
        let again = await harness.service.purchase(productID: "pro.yearly")
        let isPending = answer == .success(.pending)
        #expect(PurchaseResultMapping.outcome(of: again) == (isPending ? .pending(.awaitingApproval) : .success))
    }

    @Test("a cancelled caller does not cancel the purchase in the store")
    func cancelledCaller() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate)
        let caller = Task { await harness.service.purchase(productID: "template.a") }
        await gate.arrived()
        caller.cancel()
        await gate.open()
        #expect(PurchaseResultMapping.outcome(of: await caller.value) == .success)
        #expect(try await harness.entitlements().templates == [TemplateID(rawValue: "A")])
        #expect(await harness.store.unfinished.isEmpty)
    }
}

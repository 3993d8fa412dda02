import PurchaseCore
import Testing

@Suite("Purchases at the same time")
struct ConcurrentPurchaseTests {
    @Test("[PFC-1] [PFC-3] a thousand callers on one coordinator make one purchase")
    func thousandCallers() async throws {
        let bench = Bench()
        let gate = Gate()
        await bench.store.hold(gate)
        let refresher = RefreshCounter()
        let coordinator = TemplatePurchaseCoordinator(
            purchaseService: bench.service, entitlementRefresher: refresher, catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) }
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
            // Some join the purchase that runs, and those who come too late find the template bought.
            await gate.arrived()
            await callers.arrived(1000)
            await gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 1000)
        #expect(outcomes.allSatisfy { $0 == .success })
        #expect(await bench.store.sales == ["template.a"])
        #expect(await bench.wallet.orders.count == 1)
        #expect(await refresher.count == 1000)
    }

    @Test("[PFC-2] whoever asks for a product that is being bought joins, even if it could be bought twice")
    func joining() async throws {
        let bench = Bench()
        let gate = Gate()
        await bench.store.hold(gate)
        let first = Task { await bench.service.purchase(productID: "coins") }
        await gate.arrived()
        // While the store is held, each of these can only join.
        let others = (0..<20).map { _ in Task { await bench.service.purchase(productID: "coins") } }
        for _ in 0..<20 { _ = await bench.service.purchase(productID: "template.a") }
        #expect(await gate.arrivals == 1)
        await gate.open()
        for task in [first] + others {
            #expect(PurchaseResultMapping.outcome(of: await task.value) == .success)
        }
    }

    @Test("[PFC-7] another product is refused with its own error while one is bought, and not afterwards")
    func anotherProduct() async {
        let bench = Bench()
        let gate = Gate()
        await bench.store.hold(gate)
        async let first = bench.service.purchase(productID: "pro.yearly")
        await gate.arrived()
        guard case .failed(let error) = await bench.service.purchase(productID: "template.a") else {
            Issue.record("not refused")
            return
        }
        #expect((error as? PurchaseFlowError)?.code == .purchaseInProgress)
        await gate.open()
        #expect(PurchaseResultMapping.outcome(of: await first) == .success)
        let second = await bench.service.purchase(productID: "template.a")
        #expect(PurchaseResultMapping.outcome(of: second) == .success)
        #expect(await bench.store.sales == ["pro.yearly", "template.a"])
    }

    @Test(
        "[PFC-7] however a purchase ends, the next one can begin",
        arguments: [
            Result<StorePurchase, StoreError>.success(.userCancelled), .success(.pending),
            .failure(StoreError(.network, "")), .failure(StoreError(.userCancelled, "")),
        ])
    func flagComesOff(answer: Result<StorePurchase, StoreError>) async {
        let bench = Bench()
        await bench.store.answer("pro.yearly", answer)
        _ = await bench.service.purchase(productID: "pro.yearly")
        let next = await bench.service.purchase(productID: "template.a")
        #expect(PurchaseResultMapping.outcome(of: next) == .success)
        await bench.store.answer("pro.yearly", nil)
        let again = await bench.service.purchase(productID: "pro.yearly")
        #expect(PurchaseResultMapping.outcome(of: again) == .success)
    }

    @Test("[PFC-9] a caller that is cancelled does not cancel what the store has begun")
    func cancelledCaller() async throws {
        let bench = Bench()
        let gate = Gate()
        await bench.store.hold(gate)
        let caller = Task { await bench.service.purchase(productID: "template.a") }
        await gate.arrived()
        caller.cancel()
        await gate.open()
        #expect(PurchaseResultMapping.outcome(of: await caller.value) == .success)
        #expect(try await bench.entitlements().templates == [TemplateID(rawValue: "A")])
        #expect(await bench.store.unfinished.isEmpty)
    }
}

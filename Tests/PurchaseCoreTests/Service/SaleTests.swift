import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

/// Results that tell a sale from an answer without one.
@Suite("Sales and answers without a sale", .timeLimit(.minutes(15)))
struct SaleTests {
    private func outcome(_ result: PurchaseResult) -> PurchaseOutcome { PurchaseResultMapping.outcome(of: result) }

    private func service(_ platform: SimulatedPlatform) -> PurchaseService {
        let simulator = platform.simulator
        return PurchaseService(
            store: simulator.customer("customer"), ledger: platform.ledger, verifier: platform.verifier,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
    }

    @Test("the same plan again, and the present plan after a planned downgrade, are owned already and not sold")
    @MainActor
    func noSale() async throws {
        let platform = try SimulatedPlatform()
        let simulator = platform.simulator
        let entitlements = EntitlementStore(
            service: service(platform), catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
        let coordinator = ProSubscriptionCoordinator(
            purchaseService: service(platform), entitlementRefresher: entitlements)
        #expect(await coordinator.buyPro(productID: "pro.yearly") == .success)
        #expect(await coordinator.buyPro(productID: "pro.yearly") == .alreadyOwned)
        let answer = await coordinator.buyPro(productID: "pro.monthly")
        guard case .pending(.changesAtRenewal) = answer else {
            Issue.record("the downgrade is not planned: \(answer)")
            return
        }
        #expect(entitlements.entitlements.planChanges.count == 1)
        #expect(await coordinator.buyPro(productID: "pro.yearly") == .alreadyOwned)
        #expect(entitlements.entitlements.planChanges.isEmpty, "the coordinator refreshes after the cancelled change")
        #expect(simulator.state.transactions.count == 1)
    }

    @Test("an offer for the next renewal and a renewal that is on again are told from a tap that did nothing")
    @MainActor
    func changesOfTheNextRenewal() async throws {
        let platform = try SimulatedPlatform()
        let simulator = platform.simulator
        let device = simulator.customer("customer")
        let service = PurchaseService(
            store: device, ledger: platform.ledger, verifier: platform.verifier,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
        let entitlements = EntitlementStore(
            service: service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
        let coordinator = ProSubscriptionCoordinator(purchaseService: service, entitlementRefresher: entitlements)
        #expect(await coordinator.buyPro(productID: "pro.monthly") == .success)
        let bought = try #require(simulator.state.transactions.last)
        try await device.setRenewal(false, of: bought.id)
        await entitlements.refresh()
        let again = await coordinator.buyPro(productID: "pro.monthly")
        #expect(again == .pending(.renewsAgain(productID: "pro.monthly", date: bought.expiresDate)))
        #expect(await coordinator.buyPro(productID: "pro.monthly") == .alreadyOwned)
        let offer = PurchaseOptions(
            offer: .promotional(
                id: "half",
                signature: PromotionalOfferSignature(
                    keyID: "key", nonce: UUIDText("nonce"), timestamp: simulator.state.now, base64: "AA==")))
        let accepted = await coordinator.buyPro(productID: "pro.monthly", options: offer)
        #expect(accepted == .pending(.offerAtRenewal(productID: "pro.monthly", date: bought.expiresDate)))
        let next = entitlements.entitlements.purchases(of: .pro).first?.upcomingOffer
        #expect(next?.type == .promotional && next?.id == "half" && next?.price != nil)
        #expect(simulator.state.transactions.count == 1)
    }

    @Test("a second purchase while one awaits approval creates no order, until the app forgets the first")
    func secondTap() async throws {
        let platform = try SimulatedPlatform { $0.isAskToBuyEnabled = true }
        let simulator = platform.simulator
        let service = service(platform)
        for _ in 0..<2 { #expect(outcome(await service.purchase(productID: "coins")) == .pending(.awaitingApproval)) }
        #expect(simulator.state.pending.count == 1)
        try await service.forgetPendingPurchase(productID: "coins")
        #expect(try await service.pendingPurchases().isEmpty)
        #expect(outcome(await service.purchase(productID: "coins")) == .pending(.awaitingApproval))
        #expect(simulator.state.pending.count == 2)
    }

    @Test("a purchase whose approval has arrived unnoticed succeeds without a second order")
    func unnoticedApproval() async throws {
        let platform = try SimulatedPlatform { $0.isAskToBuyEnabled = true }
        let simulator = platform.simulator
        let service = service(platform)
        _ = await service.purchase(productID: "coins")
        try simulator.perform { engine in
            for order in engine.state.pending { _ = try engine.approve(order.id) }
        }
        #expect(outcome(await service.purchase(productID: "coins")) == .success)
        #expect(simulator.state.pending.isEmpty && simulator.state.transactions.count == 1)
        #expect(try await service.pendingPurchases().isEmpty)
    }

    @Test("an unfinished consumable from an earlier run as the store's answer is owned already, and not a sale")
    func unfinishedFromEarlierRun() async throws {
        let harness = ServiceHarness()
        await harness.store.failToFinish(StoreError(.network, "down"))
        #expect(outcome(await harness.service.purchase(productID: "coins")) == .pending(.notHandedOver))
        let unfinished = try #require(await harness.store.unfinished.first)
        await harness.store.failToFinish(nil)
        await harness.store.answer("coins", .success(.success(unfinished)))
        #expect(outcome(await harness.restarted().purchase(productID: "coins")) == .alreadyOwned)
        #expect(try await harness.entitlements().balances == ["coins": 1])
        await harness.store.answer("coins", nil)
        #expect(outcome(await harness.restarted().purchase(productID: "coins")) == .success)
    }

    @Test("an update that records the transaction before the answer does not make the sale look like an owned product")
    func updateBeforeTheAnswer() async throws {
        let harness = ServiceHarness()
        let signed = harness.verifier.sign(Sample.payload("1", "coins"))
        let gate = Gate()
        await harness.store.hold(gate)
        await harness.store.answer("coins", .success(.success(signed)))
        let purchase = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        _ = await harness.listening { harness.store.send(.transaction(signed)) }
        await gate.open()
        #expect(outcome(await purchase.value) == .success)
    }
}

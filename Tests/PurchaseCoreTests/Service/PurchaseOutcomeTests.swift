import ReceiptTypes
import Testing

@testable import PurchaseCore

/// Answers of the store that say less than they seem to.
@Suite("Outcomes of purchases", .timeLimit(.minutes(15)))
struct PurchaseOutcomeTests {
    private let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
    private let bert = UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d")

    private func outcome(_ result: PurchaseResult) -> PurchaseOutcome { PurchaseResultMapping.outcome(of: result) }

    private func signed(
        _ harness: ServiceHarness, day: Int, change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) -> SignedTransaction {
        harness.verifier.sign(Sample.payload("1", "pro.monthly", signed: Sample.at(day: day), change: change))
    }

    // MARK: A period that has ended

    @Test("a period that had expired when the store signed it is not a success")
    func expired() async {
        let harness = ServiceHarness()
        await harness.store.answer("pro.monthly", .success(.success(signed(harness, day: 31))))
        let result = await harness.service.purchase(productID: "pro.monthly")
        #expect(outcome(result) == .failed(PurchaseFlowError(.notInForce, "")))
    }

    @Test("a period that expired before the store's latest signature is not a success, whenever it was signed")
    func expiredSince() async throws {
        let harness = ServiceHarness()
        await harness.store.answer("pro.monthly", .success(.success(signed(harness, day: 0))))
        #expect(outcome(await harness.service.purchase(productID: "pro.monthly")) == .success)
        await harness.store.setEntitled([
            harness.verifier.sign(Sample.payload("2", "template.a", signed: Sample.at(day: 31)))
        ])
        _ = try await harness.service.evidence()
        #expect(
            outcome(await harness.service.purchase(productID: "pro.monthly"))
                == .failed(PurchaseFlowError(.notInForce, "")))
    }

    @Test("an upgraded period is not a success")
    func upgraded() async {
        let harness = ServiceHarness()
        await harness.store.answer(
            "pro.monthly", .success(.success(signed(harness, day: 1) { $0.isUpgraded = true })))
        let result = await harness.service.purchase(productID: "pro.monthly")
        #expect(outcome(result) == .failed(PurchaseFlowError(.notInForce, "")))
    }

    @Test("a new period is a success although the device's clock is years ahead")
    func clockAhead() async {
        let harness = ServiceHarness()
        harness.clock.set(Sample.at(day: 4_000))
        #expect(outcome(await harness.service.purchase(productID: "pro.monthly")) == .success)
    }

    @Test("a period in the store's grace period is in force, and owned already")
    func gracePeriod() async throws {
        let harness = ServiceHarness()
        let period = signed(harness, day: 32)
        await harness.store.setStatuses([
            SignedSubscriptionStatus(
                transaction: period,
                renewalInfoJWS: harness.verifier.sign(
                    Sample.renewal("1", signed: Sample.at(day: 32), retry: true, grace: Sample.at(day: 36))))
        ])
        _ = try await harness.service.evidence()
        await harness.store.answer("pro.monthly", .success(.success(period)))
        #expect(outcome(await harness.service.purchase(productID: "pro.monthly")) == .alreadyOwned)
    }

    // MARK: Another device

    @Test("a purchase that the customer cancels is cancelled although another device has bought the consumable")
    func otherDevice() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate)
        await harness.store.answer("coins", .success(.userCancelled))
        let purchase = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await harness.service.resumeUnfinishedPurchases()
        await gate.open()
        #expect(outcome(await purchase.value) == .cancelled)
        #expect(try await harness.entitlements().balances == ["coins": 1])
    }

    @Test("a purchase for another account, of another quantity or from before does not end the wait for the store")
    func otherPurchase() async throws {
        let others = [
            Sample.payload("1", "template.a") { $0.appAccountToken = self.anna },
            Sample.payload("1", "template.a") { $0.quantity = 2 },
            Sample.payload("1", "template.a", bought: Sample.at(-1)),
        ]
        for other in others {
            let harness = ServiceHarness()
            // Signed after the earlier purchase, which is therefore certainly an earlier one.
            _ = await harness.service.purchase(productID: "gems")
            let gate = Gate()
            await harness.store.hold(gate)
            await harness.store.answer("template.a", .success(.userCancelled))
            let purchase = Task { await harness.service.purchase(productID: "template.a") }
            await gate.arrived()
            await harness.store.deliver(harness.verifier.sign(other))
            await harness.service.resumeUnfinishedPurchases()
            await gate.open()
            #expect(outcome(await purchase.value) == .cancelled)
        }
    }

    // MARK: Another user

    @Test("a purchase that is paid after its buyer has left is pending, and the buyer gets it with the next sign-in")
    func buyerHasLeft() async throws {
        for isReplaced in [true, false] {
            let harness = ServiceHarness(account: anna)
            let gate = Gate()
            await harness.store.hold(gate)
            let purchase = Task { await harness.service.purchase(productID: "coins") }
            await gate.arrived()
            if isReplaced { await harness.service.signIn(bert) } else { await harness.service.signOut() }
            await gate.open()
            #expect(outcome(await purchase.value) == .pending(.awaitingSignIn))
            #expect(await harness.fulfiller.orders.isEmpty)
            await harness.service.signIn(anna)
            await harness.service.resumeUnfinishedPurchases()
            #expect(await harness.fulfiller.orders.map(\.account) == [anna])
        }
    }

    @Test("a store that answers with the purchase of another account has sold nothing, so the purchase has failed")
    func otherAccount() async {
        let harness = ServiceHarness(account: anna)
        let signed = harness.verifier.sign(Sample.payload("1", "template.a") { $0.appAccountToken = self.bert })
        await harness.store.answer("template.a", .success(.success(signed)))
        let gate = Gate()
        await harness.store.hold(gate)
        let purchase = Task { await harness.service.purchase(productID: "template.a") }
        await gate.arrived()
        await harness.service.signOut()
        await gate.open()
        let answer = outcome(await purchase.value)
        guard case .failed(let error) = answer else {
            Issue.record("the purchase has not failed: \(answer)")
            return
        }
        #expect(error.code == .conflict)
    }

    // MARK: Pending purchases

    @Test("a pending purchase stays pending when the customer buys another one of the consumable")
    func pending() async throws {
        let harness = ServiceHarness()
        harness.clock.set(Sample.at(day: 3))
        await harness.store.answer("coins", .success(.pending))
        #expect(outcome(await harness.service.purchase(productID: "coins")) == .pending(.awaitingApproval))
        let other = harness.verifier.sign(Sample.payload("3", "coins", bought: Sample.at(day: 3)))
        _ = await harness.service.ingest(other, from: .purchase)
        #expect(try await harness.service.pendingPurchases().map(\.productID) == ["coins"])
        // Nor does a purchase from days before complete it.
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.pendingPurchases().map(\.productID) == ["coins"])
        await harness.store.deliver(harness.verifier.sign(Sample.payload("2", "coins", bought: Sample.at(day: 3))))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.pendingPurchases().isEmpty)
    }
}

import PurchaseCore
import ReceiptTypes
import Testing

/// What the customer would notice if a ledger broke one of its rules.
@Suite("Rules of the ledger")
struct LedgerRulesTests {
    private let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
    private let bert = UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d")

    @Test("a transaction id that Xcode uses again after its transactions were deleted is another purchase")
    func idsOfXcode() async throws {
        let harness = ServiceHarness()
        for (hour, product) in ["coins", "coins", "gems"].enumerated() {
            let payload = Sample.payload("0", product, bought: Sample.at(Int64(hour) * 3_600_000)) {
                $0.environment = .xcode
            }
            let bought = harness.verifier.sign(payload)
            await harness.store.answer(product, .success(.success(bought)))
            let result = await harness.service.purchase(productID: product)
            #expect(PurchaseResultMapping.outcome(of: result) == .success)
            // The same purchase under another signature is no other one.
            await harness.store.deliver(harness.verifier.sign(payload))
            await harness.service.resumeUnfinishedPurchases()
        }
        #expect(await harness.fulfiller.orders.map(\.transaction.productID) == ["coins", "coins", "gems"])
        #expect(try await harness.entitlements().balances == ["coins": 2, "gems": 1])
    }

    @Test("a purchase that verifies after its quarantine is handed over at the next launch, also offline")
    func leavesQuarantine() async throws {
        let harness = ServiceHarness()
        let coins = harness.verifier.sign(Sample.payload("1", "coins"))
        harness.verifier.fail(coins.signedText, with: VerificationFailure(code: .signatureInvalid))
        await harness.store.deliver(coins)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.ledger.entries().map(\.quarantineReason) == [.signatureInvalid])
        harness.verifier.fail(coins.signedText, with: nil)
        await harness.fulfiller.setReachable(false)
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.balance == 0)
        await harness.fulfiller.setReachable(true)
        await harness.store.fail(StoreError(.network, "down"))
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.balance == 1)
    }

    @Test("an entry that another delivery has recorded in between does not go into quarantine")
    func recordedStays() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        let jws = try #require(try await harness.ledger.entries().first).transaction.signedText
        await #expect(throws: LedgerError(.outOfOrder, "")) {
            try await harness.ledger.quarantine(signedText: jws, because: .signatureInvalid)
        }
        #expect(try await harness.entitlements().templates.count == 1)
    }

    @Test("a transaction with the id of a recorded one and another product is a conflict, and unlocks nothing")
    func otherProduct() async throws {
        let harness = ServiceHarness()
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "template.a")))
        await harness.service.resumeUnfinishedPurchases()
        for (product, original) in [("template.b", "1"), ("template.a", "0")] {
            await harness.store.remember(
                harness.verifier.sign(Sample.payload("1", product, signed: Sample.at(1), original: original)))
            let history = try await harness.service.requestAllPurchaseHistory()
            #expect(history.rejected.map(\.code) == [.transactionConflict])
        }
        #expect(try await harness.entitlements().templates == [TemplateID(rawValue: "A")])
        #expect(await harness.fulfiller.orders.count == 1)
    }

    @Test("[defect 20] an account that records a version of a purchase also takes over the versions without an account")
    func takesOver() async throws {
        let harness = ServiceHarness()
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "template.a")))
        await harness.service.resumeUnfinishedPurchases()
        let annas = harness.restarted(account: anna)
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("1", "template.a", signed: Sample.at(1)) { $0.price = Milliunits(1) }))
        await annas.resumeUnfinishedPurchases()
        await harness.store.switchCustomer()
        #expect(try await harness.entitlements(annas).templates.count == 1)
        #expect(try await harness.entitlements(harness.restarted(account: bert)).templates.isEmpty)
    }

    @Test("a renewal info that was signed earlier does not replace a later one")
    func earlierRenewalInfo() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "pro.monthly")
        let present = try #require(await harness.store.past["sale-1"])
        for (signed, renews) in [(Sample.at(2), false), (Sample.at(1), true)] {
            let renewal = harness.verifier.sign(Sample.renewal("sale-1", signed: signed, renews: renews))
            await harness.store.setStatuses([SignedSubscriptionStatus(transaction: present, renewalInfoJWS: renewal)])
            #expect(try await harness.service.evidence().renewalInfos.map(\.willAutoRenew) == [false])
        }
    }
}

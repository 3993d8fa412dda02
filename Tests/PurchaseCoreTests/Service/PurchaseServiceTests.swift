import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Purchase service")
struct PurchaseServiceTests {
    private func outcome(_ result: PurchaseResult) -> PurchaseOutcome { PurchaseResultMapping.outcome(of: result) }

    @Test("[PSE-1] [PSE-8] [OTP-2.2] a purchase is verified, recorded and handed over before it is finished")
    func purchase() async throws {
        let bench = Bench()
        #expect(outcome(await bench.service.purchase(productID: "template.a")) == .success)
        #expect(await bench.store.sales == ["template.a"])
        #expect(await bench.store.finished == ["sale-1"])
        #expect(await bench.stages().values.map(\.self) == [.finished])
        #expect(try await bench.entitlements().templates == [TemplateID(rawValue: "A")])
        #expect(try await bench.service.products(for: ["a"]).map(\.id) == ["a"])
    }

    @Test("[PSE-2] [PSE-4] every answer of the store has its result")
    func answers() async {
        let bench = Bench()
        let answers: [(Result<StorePurchase, StoreError>, PurchaseOutcome)] = [
            (.success(.userCancelled), .cancelled),
            (.failure(StoreError(.userCancelled, "")), .cancelled),
            (.success(.pending), .pending(.awaitingApproval)),
            (.failure(StoreError(.productUnavailable, "")), .failed(.storeKitError(StoreError(.unknown, "")))),
            (.success(.success(bench.verifier.forge(Sample.payload("1", "coins")))), .pending(.unverified)),
        ]
        for (answer, expected) in answers {
            await bench.store.answer("coins", answer)
            #expect(outcome(await bench.service.purchase(productID: "coins")) == expected)
        }
        #expect(await bench.store.finished.isEmpty)
        #expect(await bench.wallet.orders.isEmpty)
    }

    @Test("[PSE-8] [PSE-10] [defect 4] an unverified purchase grants nothing, is not finished, and is kept and logged")
    func unverified() async throws {
        let bench = Bench()
        let forged = bench.verifier.forge(Sample.payload("1", "template.a"))
        _ = await bench.listening { await bench.store.deliver(forged) }
        #expect(try await bench.entitlements().grounds.isEmpty)
        #expect(await bench.store.finished.isEmpty)
        #expect(await bench.store.unfinished == [forged])
        let entries = await bench.journal.entries()
        #expect(entries.map(\.refusal) == [.signatureInvalid])
        #expect(bench.notes.kinds.contains(.unverified))
        #expect(!bench.notes.events.contains { $0.detail.contains(forged.jws) })
    }

    @Test("[PSE-10] what the store itself objects to is not granted, however good its signature")
    func objection() async throws {
        let bench = Bench()
        let good = bench.verifier.sign(Sample.payload("1", "template.a"))
        let objected = SignedTransaction(
            jws: good.jws, transactionID: "1", productID: "template.a", objection: "made for another device")
        _ = await bench.listening { await bench.store.deliver(objected) }
        #expect(try await bench.entitlements().grounds.isEmpty)
        #expect(await bench.store.finished.isEmpty)
        // The store may think better of it.
        await bench.store.deliver(good)
        let service = bench.restarted()
        await service.settle()
        #expect(try await bench.entitlements(service).grants(.template(TemplateID(rawValue: "A"))))
        #expect(await bench.store.finished == ["1"])
    }

    @Test("[PSE-4] what may be verified later stays, and is when it can be")
    func undecided() async throws {
        let bench = Bench()
        let transaction = bench.verifier.sign(Sample.payload("1", "template.a"))
        bench.verifier.refuse(transaction.jws, with: VerificationFailure(code: .noTrustAnchor))
        await bench.store.deliver(transaction)
        await bench.service.settle()
        #expect(await bench.stages() == [transaction.jws: .observed])
        #expect(await bench.journal.entries().first?.refusal == nil)
        bench.verifier.refuse(transaction.jws, with: nil)
        await bench.service.settle()
        #expect(await bench.stages() == [transaction.jws: .finished])
        #expect(try await bench.entitlements().grants(.template(TemplateID(rawValue: "A"))))
    }

    @Test("[PSE-4] a genuine payload without what no purchase can lack is put away and not lost")
    func incomplete() async {
        let bench = Bench()
        await bench.store.deliver(bench.verifier.sign(Sample.payload("1", "template.a") { $0.purchaseDate = nil }))
        await bench.service.settle()
        #expect(await bench.journal.entries().map(\.refusal) == [.transactionIncomplete])
        #expect(await bench.store.finished.isEmpty)
    }

    @Test("[PFC-11] the store's genuine answer for another product unlocks only that one, and is no success")
    func otherProduct() async throws {
        let bench = Bench()
        let other = bench.verifier.sign(Sample.payload("1", "template.b"))
        await bench.store.answer("template.a", .success(.success(other)))
        let result = outcome(await bench.service.purchase(productID: "template.a"))
        #expect(result == .failed(PurchaseFlowError(.differentProduct, "")))
        #expect(try await bench.entitlements().templates == [TemplateID(rawValue: "B")])
    }

    @Test("[PFC-11] an old transaction that was paid back does not pass for a purchase")
    func revokedAnswer() async throws {
        let bench = Bench()
        let old = bench.verifier.sign(Sample.payload("1", "coins") { $0.revocationDate = Sample.at(day: 1) })
        await bench.store.answer("coins", .success(.success(old)))
        let result = outcome(await bench.service.purchase(productID: "coins"))
        #expect(result == .failed(PurchaseFlowError(.revoked, "")))
        #expect(try await bench.entitlements().balances.isEmpty)
    }

    @Test("[defect 15] only what is bought once is not bought again: not consumables, not upgrades")
    func alreadyOwned() async throws {
        let bench = Bench()
        for product in ["template.a", "template.a", "coins", "coins", "pro.monthly", "pro.yearly", "pro.lifetime"] {
            #expect(outcome(await bench.service.purchase(productID: product)) == .success)
        }
        #expect(
            await bench.store.sales == ["template.a", "coins", "coins", "pro.monthly", "pro.yearly", "pro.lifetime"])
        #expect(try await bench.entitlements().balances == ["coins": 2])
    }

    @Test("[defect 15] what the family shares or what was paid back can be bought")
    func sharedOrRevoked() async {
        let bench = Bench()
        await bench.store.deliver(
            bench.verifier.sign(Sample.payload("1", "template.a") { $0.inAppOwnershipType = .familyShared }))
        await bench.store.deliver(
            bench.verifier.sign(Sample.payload("2", "template.b") { $0.revocationDate = Sample.at(day: 1) }))
        await bench.service.settle()
        for product in ["template.a", "template.b"] {
            #expect(outcome(await bench.service.purchase(productID: product)) == .success)
        }
        #expect(await bench.store.sales == ["template.a", "template.b"])
    }

    @Test("[PSE-1] a purchase that waits for approval is remembered for a day, and not after the approval")
    func pending() async throws {
        let bench = Bench()
        await bench.store.answer("template.a", .success(.pending))
        await bench.store.answer("template.b", .success(.pending))
        for product in ["template.a", "template.a", "template.b"] {
            #expect(outcome(await bench.service.purchase(productID: product)) == .pending(.awaitingApproval))
        }
        #expect(try await bench.restarted().pendingPurchases().map(\.productID) == ["template.a", "template.b"])
        await bench.store.deliver(bench.verifier.sign(Sample.payload("1", "template.a")))
        await bench.service.settle()
        #expect(try await bench.service.pendingPurchases().map(\.productID) == ["template.b"])
        bench.clock.set(Sample.at(day: 1))
        #expect(try await bench.service.pendingPurchases().isEmpty)
    }

    @Test("[PSE-9] [PSE-1] the current entitlements are the store's, and what is remembered without it")
    func currentEntitlements() async throws {
        let bench = Bench()
        _ = await bench.service.purchase(productID: "template.a")
        _ = await bench.service.purchase(productID: "coins")
        await bench.store.setEntitled([
            bench.verifier.sign(Sample.payload("sale-1", "template.a")),
            bench.verifier.forge(Sample.payload("7", "pro.lifetime")),
        ])
        let results = await bench.service.currentEntitlements()
        #expect(results.compactMap(\.verifiedPayload?.id) == ["sale-1"])
        #expect(results.compactMap(\.failure?.code) == [.signatureInvalid])
        await bench.store.fail(StoreError(.network, "down"))
        #expect(await bench.service.currentEntitlements().compactMap(\.verifiedPayload?.id) == ["sale-1"])
    }

    @Test("[OTP-6.2] the whole history is fetched, taken in once, and empty is no failure")
    func history() async throws {
        let bench = Bench()
        #expect(try await bench.service.requestAllPurchaseHistory().isEmpty)
        await bench.store.remember(bench.verifier.sign(Sample.payload("1", "template.a")))
        await bench.store.remember(bench.verifier.sign(Sample.payload("2", "pro.yearly")))
        await bench.store.remember(bench.verifier.forge(Sample.payload("3", "pro.lifetime")))
        let first = try await bench.service.requestAllPurchaseHistory()
        #expect(first.restored.map(\.id) == ["1", "2"])
        #expect(first.refused.map(\.code) == [.signatureInvalid])
        let second = try await bench.service.requestAllPurchaseHistory()
        #expect(second.restored.isEmpty)
        #expect(second.known.map(\.id) == ["1", "2"])
        await bench.store.fail(StoreError(.network, "down"))
        await #expect(throws: StoreError(.network, "")) { try await bench.service.requestAllPurchaseHistory() }
        #expect(try await bench.entitlements().isPro)
    }

    @Test("[PSE-12] a refund that nobody listened to is found when the store's list lacks the purchase")
    func missedRefund() async throws {
        let bench = Bench()
        _ = await bench.service.purchase(productID: "template.a")
        await bench.store.setEntitled([])
        #expect(try await bench.entitlements().templates.isEmpty == false)
        await bench.store.remember(
            bench.verifier.sign(
                Sample.payload("sale-1", "template.a", signed: Sample.at(day: 2)) {
                    $0.revocationDate = Sample.at(day: 2)
                }))
        #expect(try await bench.entitlements().templates.isEmpty)
        #expect(await bench.wallet.orders.map(\.fulfilment) == [.granted, .revoked])
    }
}

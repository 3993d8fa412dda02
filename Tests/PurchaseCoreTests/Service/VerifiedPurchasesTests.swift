import PurchaseCore
import ReceiptTypes
import Testing

/// What a service gives to the records of a user.
@Suite("Verified purchases of a user")
struct VerifiedPurchasesTests {
    private static let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    private static let bob = UUIDText("6b29fc40-ca47-1067-b31d-00dd010662da")

    @Test("a purchase is returned with its signed content, without a question to the store, and only to its account")
    func account() async throws {
        let harness = ServiceHarness(account: Self.alice)
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.fail(StoreError(.network, "down"))
        let purchases = try #require(try await harness.service.verifiedPurchases(of: Self.alice)).purchases
        #expect(purchases.map(\.transaction.productID) == ["template.a"])
        #expect(purchases.map(\.content) == [try #require(await harness.store.past["sale-1"]).content])
        let upperCase = UUIDText("0E984725-C51C-4BF4-9960-E1C80E27ABA0")
        #expect(try await harness.service.verifiedPurchases(of: upperCase)?.purchases.count == 1)
        #expect(try await harness.service.verifiedPurchases(of: Self.bob) == nil)
        await harness.service.signOut()
        #expect(try await harness.service.verifiedPurchases(of: nil) == VerifiedPurchases())
        #expect(try await harness.service.verifiedPurchases(of: Self.alice) == nil)
    }

    @Test("of a Play subscription whose planned change took effect, only the version with its product is returned")
    func changedPlan() async throws {
        let harness = ServiceHarness()
        for product in ["pro.yearly", "pro.monthly"] {
            await harness.store.setEntitled([harness.verifier.sign(Sample.playPurchase("p1", product))])
            _ = try await harness.service.evidence()
        }
        #expect(try await harness.ledger.entries().count == 2)
        for service in [harness.service, harness.restarted()] {
            let purchases = try #require(try await service.verifiedPurchases(of: nil)).purchases
            #expect(purchases.map(\.transaction.productID) == ["pro.monthly"])
        }
    }

    @Test("a service without accounts returns for an account what belongs to it and what is unowned, and all for none")
    func noAccounts() async throws {
        let harness = ServiceHarness(account: Self.bob)
        _ = await harness.service.purchase(productID: "template.a")
        let service = harness.restarted()
        #expect(try await service.verifiedPurchases(of: Self.alice)?.purchases.isEmpty == true)
        #expect(try await service.verifiedPurchases(of: Self.bob)?.purchases.count == 1)
        #expect(try await service.verifiedPurchases(of: nil)?.purchases.count == 1)
        _ = await service.purchase(productID: "template.b")
        #expect(
            try await service.verifiedPurchases(of: Self.alice)?.purchases.map(\.transaction.productID)
                == ["template.b"])
    }

    @Test("a purchase from before the app had accounts is an account's only after the store has listed it there")
    func unowned() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.fail(StoreError(.network, "down"))
        let service = harness.restarted(account: Self.alice)
        _ = try await service.evidence()
        #expect(try await service.verifiedPurchases(of: Self.alice) == VerifiedPurchases())
        await harness.store.fail(nil)
        _ = try await service.evidence()
        #expect(try await service.verifiedPurchases(of: Self.alice)?.purchases.count == 1)
        let other = harness.restarted(account: Self.bob)
        #expect(try await other.verifiedPurchases(of: Self.bob) == VerifiedPurchases())
    }

    @Test("an app without accounts gets every version of every recorded purchase, and what does not verify apart")
    func versions() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.deliver(harness.verifier.forge(Sample.payload("2", "template.b")))
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("sale-1", "template.a", signed: Sample.at(9)) { $0.revocationDate = Sample.at(9) }))
        await harness.service.resumeUnfinishedPurchases()
        let paced = PacedPurchaseService(harness.service)
        let purchases = try #require(try await paced.verifiedPurchases(of: nil)).purchases
        #expect(purchases.map(\.transaction.id) == ["sale-1", "sale-1"])
        #expect(purchases.map(\.transaction.isRevoked) == [false, true])
        harness.verifier.fail(
            try #require(try await harness.ledger.entries().first).transaction.signedText,
            with: VerificationFailure(code: .signatureInvalid))
        // Another launch verifies the ledger again, because an attacker can edit it.
        let next = try #require(try await harness.restarted().verifiedPurchases(of: nil))
        #expect(next.purchases.map(\.transaction.isRevoked) == [true])
        #expect(next.unverified.map(\.failure.code) == [.signatureInvalid])
        #expect(next.unverified.map(\.delivery.transactionID) == ["sale-1"])
    }

    @Test("a service without a ledger returns none")
    func noLedger() async throws {
        #expect(try await DocumentedService().verifiedPurchases(of: nil) == VerifiedPurchases())
    }
}

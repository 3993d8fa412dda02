import PurchaseCore
import ReceiptTestAuthority
import ReceiptTypes
import Testing

/// Tests what the store and other users of the app say about the purchases of an app receipt.
@Suite("App receipts beside the store")
struct AppReceiptStoreTests {
    private static let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
    private static let bert = UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d")

    private func receipt(
        created: Timestamp? = nil, _ change: (inout AppReceiptPurchase) -> Void = { _ in }
    ) throws -> [UInt8] {
        var sample = ReceiptSample(
            purchases: [
                ReceiptSample.purchase("1", "template.a", change: change),
                ReceiptSample.purchase("2", "pro.monthly", bought: Sample.at(day: -10)),
            ], form: .sha256)
        if let created { sample.created = created }
        return try sample.signed()
    }

    @Test("a later listing of the same purchases doubles no ground, whichever was signed later")
    func listedByStore() async throws {
        for created in [nil, Sample.at(day: 5)] {
            let app = await ReceiptApp()
            let service = try app.launch()
            _ = try await service.restore(appReceipt: try receipt(created: created))
            await app.goOnline()
            let listed = [
                app.scripted.sign(
                    Sample.payload("1", "template.a", bought: ReceiptSample.bought, signed: Sample.at(0))),
                app.scripted.sign(
                    Sample.payload("2", "pro.monthly", bought: Sample.at(day: -10), signed: Sample.at(0)) {
                        $0.webOrderLineItemId = "77"
                    }),
            ]
            await app.store.setEntitled(listed)
            for delivery in listed { await app.store.remember(delivery) }
            let entitlements = try await app.entitlements(service)
            #expect(entitlements.grounds[.template(TemplateID(rawValue: "A"))]?.count == 1)
            #expect(entitlements.grounds[.pro]?.map(\.productID) == ["pro.lifetime", "pro.monthly"])
            #expect(entitlements.unconfirmedGrounds.isEmpty)
            let evidence = try await service.evidence()
            #expect(Set(evidence.transactions.map(\.id)).count == evidence.transactions.count)
            // The store's transaction has the price, the receipt has not.
            #expect(evidence.transactions.allSatisfy { $0.price != nil })
        }
    }

    @Test("a non-consumable that was restored under another id is the store's own purchase")
    func restoredID() async throws {
        let app = await ReceiptApp()
        let service = try app.launch()
        _ = try await service.restore(
            appReceipt: try receipt {
                $0.transactionId = "900"
                $0.originalTransactionId = "1"
            })
        await app.goOnline()
        let refunded = Sample.payload("1", "template.a", bought: ReceiptSample.bought, signed: Sample.at(0)) {
            $0.revocationDate = Sample.at(0)
        }
        await app.store.deliver(app.scripted.sign(refunded))
        await service.resumeUnfinishedPurchases()
        #expect(try await app.entitlements(service).templates.isEmpty)
    }

    @Test("a refund that the store signs ends a purchase of a receipt, and one in a later receipt ends the store's")
    func refunds() async throws {
        let app = await ReceiptApp()
        let service = try app.launch()
        _ = try await service.restore(appReceipt: try receipt(created: Sample.at(day: -1)))
        let bought = Sample.payload("1", "template.a", bought: ReceiptSample.bought, signed: Sample.at(0))
        await app.goOnline()
        await app.store.deliver(app.scripted.sign(bought))
        await service.resumeUnfinishedPurchases()
        await app.store.fail(StoreError(.network, "offline"))
        #expect(try await app.entitlements(service).templates.count == 1)
        _ = try await service.restore(
            appReceipt: try receipt(created: Sample.at(day: 1)) { $0.cancellationDate = Sample.at(0) })
        #expect(try await app.entitlements(service).templates.isEmpty)

        await app.goOnline()
        var again = bought
        again.signedDate = Sample.at(day: 2)
        await app.store.deliver(app.scripted.sign(again))
        await service.resumeUnfinishedPurchases()
        await app.store.fail(StoreError(.network, "offline"))
        #expect(try await app.entitlements(service).templates.count == 1)
    }

    @Test("a store that never lists an in-app purchase ends it after a day; the purchase of the app has no end")
    func absence() async throws {
        let app = await ReceiptApp()
        let service = try app.launch()
        _ = try await service.restore(appReceipt: try receipt())
        await app.goOnline()
        _ = try await app.entitlements(service)
        var entitlements = try await app.entitlements(service)
        #expect(entitlements.templates.count == 1)
        #expect(entitlements.unconfirmedGrounds.map(\.transactionID).contains("1"))
        app.clock.set(Sample.at(day: 2))
        entitlements = try await app.entitlements(service)
        #expect(entitlements.templates.isEmpty)
        #expect(entitlements.denials["template.a"] == .notListedByStore)
        #expect(entitlements.grounds[.pro]?.map(\.productID) == ["pro.lifetime"])
        #expect(entitlements.unconfirmedGrounds.isEmpty)
        // A receipt that the store has created since is newer evidence.
        _ = try await service.restore(appReceipt: try receipt(created: Sample.at(day: 2)))
        await app.store.fail(StoreError(.network, "offline"))
        #expect(try await app.entitlements(service).templates.count == 1)
    }

    @Test("a receipt belongs to the account that restored it: another account sees and gets nothing of it")
    func accounts() async throws {
        let app = await ReceiptApp()
        let service = try app.launch(user: .signedIn(Self.anna))
        let bytes = try receipt()
        #expect(try await service.restore(appReceipt: bytes).verifiedPayload != nil)
        #expect(try await app.entitlements(service).isPro)

        await service.signIn(Self.bert)
        #expect(try await service.restore(appReceipt: bytes).failure?.code == .accountMismatch)
        #expect(try await app.entitlements(service).grounds.isEmpty)
        // The store's account is shared: what it lists is Anna's.
        await app.goOnline()
        await app.store.setEntitled([
            app.scripted.sign(Sample.payload("1", "template.a", bought: ReceiptSample.bought, signed: Sample.at(0)))
        ])
        let restarted = try app.launch(user: .signedIn(Self.bert))
        #expect(try await app.entitlements(restarted).grounds.isEmpty)
        await restarted.signIn(Self.anna)
        #expect(try await app.entitlements(restarted).templates.count == 1)
    }

    @Test("while no account is signed in, a receipt is recorded for none")
    func signedOut() async throws {
        let app = await ReceiptApp()
        let service = try app.launch(user: .signedOut)
        #expect(try await service.restore(appReceipt: try receipt()).failure?.code == .accountMismatch)
        #expect(try await app.ledger.entries().isEmpty)
    }

    @Test("a purchase that the store has delivered for another account is rejected, and the rest of the receipt counts")
    func purchaseOfAnotherAccount() async throws {
        let app = await ReceiptApp()
        await app.goOnline()
        let service = try app.launch(user: .signedIn(Self.bert))
        await app.store.deliver(
            app.scripted.sign(
                Sample.payload("1", "template.a", bought: ReceiptSample.bought) { $0.appAccountToken = Self.bert }))
        await service.resumeUnfinishedPurchases()
        #expect(try await app.entitlements(service).templates.count == 1)

        await app.store.fail(StoreError(.network, "offline"))
        await service.signIn(Self.anna)
        let restored = try #require(try await service.restore(appReceipt: try receipt()).verifiedPayload)
        #expect(restored.rejected.map(\.transactionID) == ["1"])
        #expect(restored.rejected.map(\.failure.code) == [.accountMismatch])
        #expect(restored.restored.map(\.id) == ["2"])
        let entitlements = try await app.entitlements(service)
        #expect(entitlements.isPro && entitlements.templates.isEmpty)
        await service.signIn(Self.bert)
        #expect(try await app.entitlements(service).templates.count == 1)
    }

    @Test("the store is not asked to sell what a receipt shows as owned, once it lists it")
    func ownedAlready() async throws {
        let app = await ReceiptApp()
        let service = try app.launch()
        _ = try await service.restore(appReceipt: try receipt())
        await app.goOnline()
        await app.store.setEntitled([
            app.scripted.sign(Sample.payload("1", "template.a", bought: ReceiptSample.bought, signed: Sample.at(0)))
        ])
        guard case .alreadyOwned = await service.purchase(productID: "template.a") else {
            Issue.record("the product was sold again")
            return
        }
        #expect(await app.store.sales.isEmpty)
    }
}

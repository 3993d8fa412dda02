import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Accounts")
struct AccountTests {
    private let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
    private let bert = UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d")

    @Test("[defect 20] a purchase for one account is not granted to another, and stays unfinished for its owner")
    func anotherAccount() async throws {
        let harness = ServiceHarness(account: bert)
        let annasPurchase = harness.verifier.sign(Sample.payload("1", "coins") { $0.appAccountToken = anna })
        await harness.store.deliver(annasPurchase)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().balances.isEmpty)
        #expect(await harness.store.finished.isEmpty)
        #expect(harness.log.kinds.contains(.conflict))
        await harness.store.answer("coins", .success(.success(annasPurchase)))
        let result = PurchaseResultMapping.outcome(of: await harness.service.purchase(productID: "coins"))
        let conflict = VerificationFailure(code: .accountMismatch)
        #expect(result == .failed(PurchaseFlowError(.conflict, "", underlying: conflict)))

        let service = harness.restarted(account: anna)
        await service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements(service).balances == ["coins": 1])
        #expect(await harness.store.finished == ["1"])
    }

    @Test("[defect 20] a purchase without an account belongs to the first that records it; another gets a conflict")
    func firstClaim() async throws {
        let harness = ServiceHarness(account: anna)
        await harness.store.remember(harness.verifier.sign(Sample.payload("1", "template.a")))
        #expect(try await harness.service.requestAllPurchaseHistory().restored.count == 1)
        let second = harness.restarted(account: bert)
        let history = try await second.requestAllPurchaseHistory()
        #expect(history.rejected.map(\.code) == [.accountMismatch])
        #expect(try await harness.entitlements(second).templates.isEmpty)
        #expect(try await harness.entitlements().templates.count == 1)
    }

    @Test("[defect 20] the case of an account's UUID does not matter")
    func letterCase() async throws {
        let harness = ServiceHarness(account: UUIDText(anna.rawValue.uppercased()))
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("1", "template.a") { $0.appAccountToken = UUIDText(anna.rawValue.uppercased()) }))
        await harness.store.deliver(
            harness.verifier.sign(Sample.payload("2", "template.b") { $0.appAccountToken = anna }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().templates.count == 2)
        _ = await harness.service.purchase(productID: "coins")
        #expect(await harness.store.purchaseOptions.map(\.appAccountToken) == [anna])
    }
}

import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Accounts")
struct AccountTests {
    private let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
    private let bert = UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d")

    @Test("[defect 20] what was bought for one account is not granted to another, and stays for it")
    func anotherAccount() async throws {
        let bench = Bench(account: bert)
        let hers = bench.verifier.sign(Sample.payload("1", "coins") { $0.appAccountToken = anna })
        await bench.store.deliver(hers)
        await bench.service.settle()
        #expect(try await bench.entitlements().balances.isEmpty)
        #expect(await bench.store.finished.isEmpty)
        #expect(bench.notes.kinds.contains(.conflict))
        await bench.store.answer("coins", .success(.success(hers)))
        let result = PurchaseResultMapping.outcome(of: await bench.service.purchase(productID: "coins"))
        #expect(result == .failed(PurchaseFlowError(.conflict, "")))

        let service = bench.restarted(account: anna)
        await service.settle()
        #expect(try await bench.entitlements(service).balances == ["coins": 1])
        #expect(await bench.store.finished == ["1"])
    }

    @Test("[defect 20] a purchase that names no account belongs to the first that has it; the second gets a conflict")
    func firstClaim() async throws {
        let bench = Bench(account: anna)
        await bench.store.remember(bench.verifier.sign(Sample.payload("1", "template.a")))
        #expect(try await bench.service.requestAllPurchaseHistory().restored.count == 1)
        let second = bench.restarted(account: bert)
        let history = try await second.requestAllPurchaseHistory()
        #expect(history.refused.map(\.code) == [.accountMismatch])
        #expect(try await bench.entitlements(second).templates.isEmpty)
        #expect(try await bench.entitlements().templates.count == 1)
    }

    @Test("[defect 20] an account is the same however its UUID is written")
    func letterCase() async throws {
        let bench = Bench(account: UUIDText(anna.rawValue.uppercased()))
        await bench.store.deliver(
            bench.verifier.sign(
                Sample.payload("1", "template.a") { $0.appAccountToken = UUIDText(anna.rawValue.uppercased()) }))
        await bench.store.deliver(bench.verifier.sign(Sample.payload("2", "template.b") { $0.appAccountToken = anna }))
        await bench.service.settle()
        #expect(try await bench.entitlements().templates.count == 2)
        _ = await bench.service.purchase(productID: "coins")
        #expect(await bench.store.purchaseOptions.map(\.appAccountToken) == [anna])
    }
}

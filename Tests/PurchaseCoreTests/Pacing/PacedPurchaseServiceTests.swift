import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Paced purchase service", .timeLimit(.minutes(15)))
struct PacedPurchaseServiceTests {
    private func paced(_ service: any PurchaseServicing, _ device: SimulatedDevice) -> PacedPurchaseService {
        PacedPurchaseService(
            service, purchases: RateLimiter(RateLimit(count: 2, perMilliseconds: 1_000), uptime: device.uptime),
            restores: RateLimiter(RateLimit(count: 1, perMilliseconds: 5_000), uptime: device.uptime))
    }

    @Test("[OTP-9.6] purchases over the limit are refused before the store is asked, with the time to try again")
    func purchases() async throws {
        let harness = ServiceHarness()
        let device = SimulatedDevice()
        let paced = paced(harness.service, device)
        for product in ["template.a", "template.b", "coins"] {
            let outcome = PurchaseResultMapping.outcome(of: await paced.purchase(productID: product))
            guard product == "coins" else {
                #expect(outcome == .success)
                continue
            }
            guard case .failed(let error) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(error.code == .rateLimited && error.isRetryable)
            #expect((error.underlying as? RateLimitError)?.retryAfterMilliseconds == 1_000)
        }
        #expect(await harness.store.sales == ["template.a", "template.b"])
        device.pass(1_000)
        let result = await paced.purchase(productID: "coins", options: PurchaseOptions(quantity: 2))
        #expect(PurchaseResultMapping.outcome(of: result) == .success)
        #expect(await harness.store.purchaseOptions.last?.quantity == 2)
    }

    @Test("[OTP-9.6] restores have a limit of their own, and a refused one throws")
    func restores() async throws {
        let harness = ServiceHarness()
        let device = SimulatedDevice()
        let paced = paced(harness.service, device)
        _ = await paced.purchase(productID: "template.a")
        #expect(try await paced.restorePurchases().known.count == 1)
        let error = await #expect(throws: PurchaseFlowError.self) { try await paced.requestAllPurchaseHistory() }
        #expect(error?.code == .rateLimited)
        #expect(await harness.store.historyRequests == 1)
        device.pass(5_000)
        _ = try await paced.requestAllPurchaseHistory()
        #expect(await harness.store.historyRequests == 2)
    }

    @Test("everything else reaches the service behind it")
    func passedOn() async throws {
        let harness = ServiceHarness()
        let paced = paced(harness.service, SimulatedDevice())
        #expect(try await paced.products(for: ["coins"]).map(\.id) == ["coins"])
        await harness.store.answer("coins", .success(.pending))
        _ = await paced.purchase(productID: "coins")
        #expect(try await paced.pendingPurchases().map(\.productID) == ["coins"])
        try await paced.forgetPendingPurchase(productID: "coins")
        #expect(try await harness.service.pendingPurchases().isEmpty)
        await harness.fulfiller.setReachable(false)
        _ = await paced.purchase(productID: "template.a")
        await harness.fulfiller.setReachable(true)
        await paced.resumeUnfinishedPurchases()
        #expect(await paced.waitUntilHandedOver(productID: "template.a"))
        #expect(await paced.currentEntitlements().count == 1)
        #expect(try await paced.evidence().transactions.count == 1)
        let recorder = ListenerRecorder()
        let listener = paced.listenForTransactions { await recorder.record($0) }
        await harness.store.deliver(harness.verifier.sign(Sample.payload("9", "template.b")))
        harness.store.endUpdates()
        await listener.value
        #expect(await recorder.results.count == 1)
    }
}

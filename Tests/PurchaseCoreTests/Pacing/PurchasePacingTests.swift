import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

@testable import ReceiptVerification

@Suite("Limits of purchases and restores", .timeLimit(.minutes(15)))
struct PurchasePacingTests {
    private func pacing(_ device: SimulatedDevice) -> PurchasePacing {
        PurchasePacing(
            purchases: RateLimiter(
                RateLimit(count: 2, perMilliseconds: 1_000), environment: PurchaseEnvironment(uptime: device.uptime)),
            restores: RateLimiter(
                RateLimit(count: 1, perMilliseconds: 5_000), environment: PurchaseEnvironment(uptime: device.uptime)))
    }

    @Test("[OTP-9.6] purchases over the limit are refused before the store is asked, with the time to try again")
    func purchases() async throws {
        let device = SimulatedDevice()
        let harness = ServiceHarness(pacing: pacing(device))
        for product in ["template.a", "template.b", "coins"] {
            let outcome = PurchaseResultMapping.outcome(of: await harness.service.purchase(productID: product))
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
        let result = await harness.service.purchase(productID: "coins", options: PurchaseOptions(quantity: 2))
        #expect(PurchaseResultMapping.outcome(of: result) == .success)
        #expect(await harness.store.purchaseOptions.last?.quantity == 2)
    }

    @Test("[OTP-9.6] restores have a limit of their own, and a refused one throws")
    func restores() async throws {
        let device = SimulatedDevice()
        let harness = ServiceHarness(pacing: pacing(device))
        _ = await harness.service.purchase(productID: "template.a")
        #expect(try await harness.service.restorePurchases().known.count == 1)
        let error = await #expect(throws: PurchaseFlowError.self) {
            try await harness.service.requestAllPurchaseHistory()
        }
        #expect(error?.code == .rateLimited)
        #expect(await harness.store.historyRequests == 1)
        device.pass(5_000)
        // A store that cannot be reached was not asked.
        await harness.store.fail(StoreError(.network, "down"))
        await #expect(throws: StoreError.self) { try await harness.service.requestAllPurchaseHistory() }
        await harness.store.fail(nil)
        _ = try await harness.service.requestAllPurchaseHistory()
        #expect(await harness.store.historyRequests == 2)
    }

    @Test("a limit that is checked counts no call")
    func check() throws {
        let limiter = RateLimiter(
            RateLimit(count: 1, perMilliseconds: 1_000), environment: PurchaseEnvironment(uptime: { .test(0) }))
        for _ in 0..<3 { try limiter.check() }
        try limiter.countCall()
        #expect(throws: RateLimitError.self) { try limiter.check() }
    }

    @Test("a coordinator keeps the limits and the lock of its service")
    @MainActor
    func coordinator() async throws {
        let lock = RecoveryLock(environment: PurchaseEnvironment(timer: ManualTimer()))
        let harness = ServiceHarness(
            pacing: PurchasePacing(
                purchases: RateLimiter(
                    RateLimit(count: 1, perMilliseconds: 1_000), environment: PurchaseEnvironment(uptime: { .test(0) })),
                recovery: lock))
        let coordinator = TemplatePurchaseCoordinator(
            purchaseService: harness.service, entitlementRefresher: harness.entitlementStore())
        lock.hold()
        let refused = await coordinator.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "template.a")
        #expect(refused == .failed(PurchaseFlowError(.recoveryInProgress, "")))
        lock.endHolds(through: lock.lastHold)
        #expect(
            await coordinator.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "template.a") == .success)
        let limited = await coordinator.buyTemplate(templateID: TemplateID(rawValue: "B"), productID: "template.b")
        guard case .failed(let error) = limited, error.code == .rateLimited else {
            Issue.record("\(limited)")
            return
        }
        #expect(await harness.store.sales == ["template.a"])
    }
}

import ReceiptTypes
import Testing
import TimerSupport

@testable import Paywall
@testable import PurchaseCore

/// A paywall that does not allow dismissal never traps a customer that cannot buy.
@Suite("Hard paywalls", .timeLimit(.minutes(15)))
@MainActor
struct HardPaywallTests {
    private let harness = FlowHarness()

    private func open() async throws -> PaywallViewModel {
        try await harness.coordinator.start()
        let paywall = try #require(try harness.coordinator.toPaywall(featureID: "export", allowDismiss: false))
        #expect(!paywall.state.isClosable)
        return paywall
    }

    @Test("it can be closed while purchases are switched off, and restores all the same [OTP-5.1]")
    func purchasesDisabled() async throws {
        let paywall = try await open()
        harness.flags.withLock { $0.purchasesEnabled = false }
        #expect(await paywall.restore() == .nothingFound && paywall.state.isClosable)
        try paywall.dismiss()
        #expect(harness.coordinator.state == .skipped && harness.coordinator.result == .dismissed)
    }

    @Test("it can be closed if the store sells none of its plans, or cannot be reached [OTP-5.1]")
    func noProducts() async throws {
        let shop = ListedProducts([.sample(FlowHarness.weekly), .sample(FlowHarness.yearly)])
        await shop.fail(StoreError(.network, "offline"))
        for shop in [ListedProducts([]), shop] {
            let paywall = try await harness.paywall(shop, allowsDismissal: false)
            #expect(throws: PaywallFlowError.self) { try paywall.dismiss() }
            await paywall.load()
            #expect(paywall.state.isClosable)
            try paywall.dismiss()
            // The customer has closed the paywall, and nothing that the customer did has failed.
            #expect(paywall.state.result == .dismissed)
        }
    }

    @Test("it can be closed if its prices come from the cache, because the store cannot be reached [OTP-5.1]")
    func cachedPrices() async throws {
        let cache = InMemoryProducts([.sample(FlowHarness.weekly), .sample(FlowHarness.yearly)], at: SetClock.start)
        let shop = ListedProducts([])
        await shop.fail(StoreError(.network, "offline"))
        let services = PaywallServices(
            entitlement: harness.entitlements, purchase: harness.manager,
            products: PurchaseRepository(
                service: shop, cache: cache, environment: PurchaseEnvironment(timer: StoppedTimer())),
            catalog: FlowHarness.catalog, timer: StoppedTimer())
        let paywall = try await harness.paywall(services, allowsDismissal: false)
        await paywall.load()
        try paywall.dismiss()
    }

    @Test("it can be closed while a purchase awaits an approval or may have been made [OTP-5.1]")
    func pending() async throws {
        harness.manager.pendingProductIDs = [FlowHarness.export]
        try await harness.coordinator.start()
        let paywall = try #require(try harness.coordinator.toPaywall(featureID: "export", allowDismiss: false))
        #expect(paywall.state.pendingPlanIDs == [FlowHarness.export] && paywall.state.isClosable)
        try paywall.decline()

        let other = HardPaywallTests()
        let unsettled = try await other.open()
        other.harness.manager.outcome = .pending(.notRecorded)
        await unsettled.buy()
        try unsettled.dismiss()
    }

    @Test("it can be closed after a failure that another attempt does not help, and not after a cancellation [OTP-5.1]")
    func failures() async throws {
        let outcomes: [(PurchaseOutcome, isClosable: Bool)] = [
            (.cancelled, false), (.failed(PurchaseFlowError(.rateLimited, "too many")), false),
            (.failed(.storeKitError(StoreError(.purchaseNotAllowed, "not allowed"))), true),
            (.failed(.storeKitError(StoreError(.network, "offline"))), true),
        ]
        for (outcome, isClosable) in outcomes {
            let other = HardPaywallTests()
            let paywall = try await other.open()
            other.harness.manager.outcome = outcome
            await paywall.buy()
            #expect(paywall.state.isClosable == isClosable, "\(outcome)")
        }
    }
}

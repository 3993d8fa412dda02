import ReceiptTypes
import Testing

@testable import Paywall
@testable import PurchaseCore

/// What a paywall waits for: everything ends after a deadline, and the customer can leave before it.
@Suite("Deadlines of the paywall", .timeLimit(.minutes(15)))
@MainActor
struct DeadlineTests {
    private let harness = FlowHarness()

    /// Begins a purchase or a restore that the store does not answer, and waits until it takes long.
    private func begin(
        _ paywall: PaywallViewModel, _ action: @escaping @MainActor (PaywallViewModel) async -> Void
    ) async -> Task<Void, Never> {
        harness.manager.gate = FlowGate()
        let running = Task { await action(paywall) }
        await harness.manager.gate.arrived()
        #expect(!paywall.state.isTakingLong)
        harness.timer.endWaits(upTo: PaywallViewModel.patienceMilliseconds)
        for await state in paywall.updates() where state.isTakingLong { break }
        return running
    }

    private var events: [PaywallEvent] { harness.analytics.events }

    // MARK: Leaving

    @Test("after a minute, the customer can leave a purchase, which counts for its offer when it arrives [OTP-5.5]")
    func leftPurchase() async throws {
        let paywall = try await harness.open()
        let purchase = await begin(paywall) { await $0.buy() }
        #expect(paywall.isLoading && paywall.state.isClosable && paywall.state.message?.key == .takingLong)
        #expect(harness.coordinator.state.step == .purchasing)
        try paywall.dismiss()
        #expect(paywall.state.result == .dismissed && !paywall.isLoading && harness.coordinator.state == .skipped)
        harness.unlock()
        await harness.manager.gate.open()
        await purchase.value
        #expect(events.last == .purchaseSuccess(offerID: .b, planID: FlowHarness.yearly))
        #expect(events.count { $0.name == .purchaseSuccess } == 1)
        #expect(harness.coordinator.result == .purchased && paywall.state.result == .dismissed)
    }

    @Test("a purchase that the customer has left and that is cancelled or awaits an approval is reported as such")
    func leftWithoutSale() async throws {
        for (outcome, name) in [
            (PurchaseOutcome.cancelled, AnalyticsEvent.Name.purchaseCancelled),
            (.pending(.awaitingApproval), .purchasePending),
            (.failed(PurchaseFlowError(.rateLimited, "too many")), .purchaseFail),
        ] {
            let test = DeadlineTests()
            let paywall = try await test.harness.open()
            let purchase = await test.begin(paywall) { await $0.buy() }
            try paywall.decline()
            test.harness.manager.outcome = outcome
            await test.harness.manager.gate.open()
            await purchase.value
            #expect(test.events.last?.name == name && test.harness.coordinator.result == .declined)
            test.harness.grant(FlowHarness.yearly)
            #expect((test.harness.coordinator.result == .purchased) == (name == .purchasePending))
        }
    }

    @Test("a paywall after a purchase that still runs buys nothing in addition, and the purchase counts once")
    func nextPaywall() async throws {
        let first = try await harness.open()
        let purchase = await begin(first) { await $0.buy() }
        try first.dismiss()
        let second = try await harness.open()
        #expect(await second.buy() == .pending(.noAnswer) && harness.manager.purchases.count == 1)
        let running = harness.manager.gate
        harness.manager.gate = FlowGate(isOpen: true)
        #expect(await second.restore() == .nothingFound)
        #expect(await second.buy() == .pending(.noAnswer) && harness.manager.purchases.count == 1, "it still runs")
        harness.unlock()
        await running.open()
        await purchase.value
        #expect(events.count { $0.name == .purchaseSuccess } == 1)
        #expect(second.state.result == .restored && harness.coordinator.result == .restored)
    }

    @Test("a purchase that the customer has left and that is not verified has the same reason as on an open paywall")
    func leftUnverified() async throws {
        let forged = VerificationFailure(code: .signatureInvalid)
        for outcome in [PurchaseOutcome.failed(.unverified(forged)), .pending(.unverified(forged))] {
            let test = DeadlineTests()
            let paywall = try await test.harness.open()
            let purchase = await test.begin(paywall) { await $0.buy() }
            try paywall.dismiss()
            test.harness.manager.outcome = outcome
            await test.harness.manager.gate.open()
            await purchase.value
            #expect(
                test.events.last
                    == .purchaseFail(
                        offerID: .b, planID: FlowHarness.yearly, reason: .entitlementInactive,
                        code: "signature-invalid"))
        }
    }

    @Test(
        "another user sees nothing of what the former user has begun, on an open paywall or on one that was left",
        arguments: [PurchaseOutcome.success, .cancelled], [false, true])
    func otherUser(outcome: PurchaseOutcome, leaves: Bool) async throws {
        let paywall = try await harness.open()
        let purchase = await begin(paywall) { await $0.buy() }
        if leaves { try paywall.dismiss() }
        harness.entitlements.changeUser()
        harness.entitlements.freshness = .current
        let count = events.count
        harness.manager.outcome = outcome
        harness.unlock()
        await harness.manager.gate.open()
        await purchase.value
        #expect(events.count == count)
        #expect(harness.coordinator.result == (leaves ? .dismissed : .skipped(.entitlementsUnknown)))
    }

    @Test("another user sees nothing of a restore that the former user has begun")
    func otherUserDuringRestore() async throws {
        let paywall = try await harness.open()
        let restore = await begin(paywall) { await $0.restore() }
        harness.entitlements.changeUser()
        harness.entitlements.freshness = .current
        let count = events.count
        await harness.manager.gate.open()
        await restore.value
        #expect(events.count == count)
    }

    @Test("after a minute, the customer can leave a restore, also on a paywall that does not allow dismissal [OTP-5.1]")
    func leftRestore() async throws {
        try await harness.coordinator.start()
        let paywall = try #require(try harness.coordinator.toPaywall(featureID: "export", allowDismiss: false))
        let restore = await begin(paywall) { await $0.restore() }
        #expect(paywall.state.isClosable)
        try paywall.dismiss()
        #expect(harness.coordinator.result == .dismissed)
        await harness.manager.gate.open()
        await restore.value
        #expect(harness.coordinator.result == .dismissed)
    }

    @Test("what ends within a minute never says that it takes long, and neither does what ends after it")
    func noLongerLong() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .cancelled
        await paywall.buy()
        await harness.timer.waitForEnds()
        await paywall.load()
        #expect(!paywall.state.isTakingLong && paywall.state.message?.key == .cancelled)
        let purchase = await begin(paywall) { await $0.buy() }
        await harness.manager.gate.open()
        await purchase.value
        #expect(!paywall.state.isTakingLong && paywall.state.message?.key == .cancelled)
    }

    // MARK: Deadlines

    @Test("entitlements that never answer end with a deadline: at the start, after a sale and after a restore [PWF-2]")
    func silentEntitlements() async throws {
        let store = GatedEntitlements()
        let services = PaywallServices(
            entitlement: store, purchase: harness.manager, catalog: FlowHarness.catalog, timer: harness.timer)
        let coordinator = PaywallCoordinator(services: services, remoteConfig: harness.remoteConfig)
        func endRefresh(of call: @escaping @MainActor () async throws -> Void) async throws {
            let gate = FlowGate()
            store.gate = gate
            let running = Task { try await call() }
            await gate.arrived()
            harness.timer.endWaits()
            try await running.value
            await gate.open()
        }
        try await endRefresh { try await coordinator.start() }
        #expect(coordinator.state == .onboarding)
        let paywall = try #require(try coordinator.toPaywall(personalPromiseKey: nil))
        try await endRefresh { await paywall.buy() }
        #expect(!paywall.isLoading && paywall.state.message?.key == .notActive)
        try await endRefresh { await paywall.restore() }
        #expect(!paywall.isLoading && paywall.state.message?.key == .nothingToRestore)
    }

    @Test("products and awaited approvals that never answer end with a deadline, and can be loaded again [PWF-6]")
    func silentStore() async throws {
        let shop = ListedProducts([.sample(FlowHarness.weekly), .sample(FlowHarness.yearly)])
        let paywall = try await harness.paywall(shop)
        let gates = [FlowGate(), FlowGate()]
        harness.manager.pendingGate = gates[0]
        await shop.wait(for: gates[1])
        let load = Task { await paywall.load() }
        for gate in gates {
            await gate.arrived()
            harness.timer.endWaits()
        }
        await load.value
        #expect(!paywall.state.isLoadingProducts && paywall.state.productsMessage?.action == .loadAgain)
        for gate in gates { await gate.open() }
        await paywall.perform(.loadAgain)
        #expect(paywall.state.productsMessage == nil && paywall.state.products.count == 2)
    }
}

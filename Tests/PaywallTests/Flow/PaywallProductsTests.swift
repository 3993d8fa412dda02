import ReceiptTypes
import Testing
import TimerSupport

@testable import Paywall
@testable import PurchaseCore

/// The products on a paywall: prices, plans that cannot be sold, and a store that cannot be reached.
@Suite("Products on the paywall", .timeLimit(.minutes(15)))
@MainActor
struct PaywallProductsTests {
    private let harness = FlowHarness()

    private static let both = [Product.sample(FlowHarness.weekly, period: .week), .sample(FlowHarness.yearly)]

    @Test("plans get the store's own price and period; one that the store does not sell is removed [PWF-6]")
    func products() async throws {
        let paywall = try await harness.paywall(ListedProducts([.sample(FlowHarness.weekly, period: .week)]))
        #expect(paywall.selectedPlanID == FlowHarness.yearly)
        await paywall.load()
        #expect(paywall.state.offer.plans == [Plan(id: FlowHarness.weekly, displayPrice: "$9.99", period: "week")])
        #expect(paywall.state.products.map(\.id) == [FlowHarness.weekly])
        #expect(paywall.selectedPlanID == FlowHarness.weekly && !paywall.state.isLoadingProducts)
        #expect(paywall.state.withheldPlans == [WithheldPlan(id: FlowHarness.yearly, reason: .notSold)])
    }

    @Test("the prices do not wait for the list of the approvals")
    func slowApprovals() async throws {
        let paywall = try await harness.paywall(ListedProducts(Self.both))
        harness.manager.pendingGate = FlowGate()
        let load = Task { await paywall.load() }
        for await state in paywall.updates() where state.products.count == 2 { break }
        #expect(!paywall.state.isLoadingProducts)
        await harness.manager.pendingGate.open()
        await load.value
    }

    @Test("another attempt loads the products again while the list of the approvals is still awaited")
    func retryDuringApprovals() async throws {
        let shop = ListedProducts(Self.both)
        await shop.fail(StoreError(.network, "offline"))
        let paywall = try await harness.paywall(shop)
        harness.manager.pendingGate = FlowGate()
        let loads = Task { await paywall.load() }
        for await state in paywall.updates() where state.productsMessage != nil { break }
        await shop.fail(nil)
        let retry = Task { await paywall.perform(.loadAgain) }
        for await state in paywall.updates() where state.products.count == 2 { break }
        #expect(paywall.state.productsMessage == nil)
        await harness.manager.pendingGate.open()
        await loads.value
        await retry.value
    }

    @Test("if the store sells none of the plans, a message says so and nothing can be bought; a consumable is no plan")
    func nothingSold() async throws {
        let consumables = [FlowHarness.weekly, FlowHarness.yearly].map { Product.sample($0, .consumable) }
        for (products, reason) in [([], WithheldPlan.Reason.notSold), (consumables, .unlocksNothing)] {
            let paywall = try await harness.paywall(ListedProducts(products))
            await paywall.load()
            #expect(paywall.state.productsMessage?.key == .productUnavailable)
            #expect(paywall.state.withheldPlans.map(\.reason) == [reason, reason])
            #expect(await paywall.buy() == nil && harness.manager.purchases.isEmpty)
        }
    }

    @Test("while the store cannot be reached, the plans stay, can be bought, and can be loaded again")
    func offline() async throws {
        let shop = ListedProducts(Self.both)
        await shop.fail(StoreError(.network, "offline"))
        let paywall = try await harness.paywall(shop)
        // What the customer does meanwhile does not hide it.
        await paywall.restore()
        await paywall.load()
        #expect(paywall.state.productsMessage?.action == .loadAgain && paywall.state.offer == FlowHarness.offer)
        #expect(paywall.state.message?.key == .nothingToRestore)
        await shop.fail(nil)
        await paywall.perform(.loadAgain)
        #expect(paywall.state.productsMessage == nil)
        #expect(paywall.state.offer.plans.allSatisfy { $0.displayPrice == "$9.99" })
    }

    @Test("a free trial is promised after a load that follows a failed one, and no longer without the store's answer")
    func trials() async throws {
        let trial = ProductOffer(
            type: .introductory, paymentMode: .freeTrial, period: .week, periodCount: 1, price: Milliunits(0))
        let product = Product.sample(FlowHarness.yearly, offer: trial)
        let shop = ListedProducts([product])
        await shop.fail(StoreError(.network, "offline"))
        let answer = Locked(TrialEligibility.eligible(trial))
        let services = PaywallServices(
            entitlement: harness.entitlements, purchase: harness.manager,
            products: PurchaseRepository(service: shop, environment: PurchaseEnvironment(timer: StoppedTimer())),
            catalog: FlowHarness.catalog,
            introductoryOffer: { _ in answer.withLock { $0 } }, timer: StoppedTimer())
        let paywall = try await harness.paywall(services)
        await paywall.load()
        #expect(paywall.state.trial(of: product) == .unknown)
        await shop.fail(nil)
        await paywall.perform(.loadAgain)
        #expect(paywall.state.trial(of: product) == .eligible(trial))
        // The answer was about other terms.
        #expect(paywall.state.trial(of: .sample(FlowHarness.yearly)) == .unknown)
        answer.withLock { $0 = .unknown }
        await paywall.updateTrials()
        #expect(paywall.state.trial(of: product) == .unknown)
    }

    @Test("plans that the store does not know for a moment are back after the next load")
    func forgottenPlans() async throws {
        let shop = ListedProducts(Self.both)
        await shop.hide(true)
        let paywall = try await harness.paywall(shop)
        await paywall.load()
        #expect(paywall.state.offer.plans.isEmpty)
        await shop.hide(false)
        await paywall.performAction()
        #expect(paywall.state.offer.plans.map(\.id) == [FlowHarness.weekly, FlowHarness.yearly])
        #expect(paywall.state.productsMessage == nil && paywall.state.withheldPlans.isEmpty)
    }

    @Test("products that arrive during a purchase do not change what is bought, and are shown after it")
    func loadedDuringPurchase() async throws {
        let paywall = try await harness.paywall(ListedProducts([.sample(FlowHarness.weekly, period: .week)]))
        harness.manager.gate = FlowGate()
        harness.manager.outcome = .cancelled
        let purchase = Task { await paywall.buy() }
        await harness.manager.gate.arrived()
        await paywall.load()
        #expect(paywall.state.offer == FlowHarness.offer && paywall.selectedPlanID == FlowHarness.yearly)
        await harness.manager.gate.open()
        #expect(await purchase.value == .cancelled)
        #expect(paywall.state.offer.plans.map(\.id) == [FlowHarness.weekly])
        #expect(paywall.selectedPlanID == FlowHarness.weekly)
    }

    @Test("prices from the cache have a warning with their age, which says that the store's price counts [OTP-F4]")
    func oldPrices() async throws {
        let clock = SetClock()
        let cache = InMemoryProducts(Self.both, at: SetClock.start)
        let shop = ListedProducts(Self.both)
        await shop.fail(StoreError(.network, "offline"))
        let services = PaywallServices(
            entitlement: harness.entitlements, purchase: harness.manager,
            products: PurchaseRepository(
                service: shop, cache: cache, environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock.now)),
            catalog: FlowHarness.catalog, timer: StoppedTimer())
        let texts = PaywallTexts(languages: ["en"])
        for (days, age) in [(0.1, "3 hours"), (1.9, "48 hours"), (1.0, "3 days")] {
            clock.advance(days: days)
            let paywall = try await harness.paywall(services)
            await paywall.load()
            let old = try #require(paywall.state.oldPrices)
            #expect(old.productIDs == [FlowHarness.weekly, FlowHarness.yearly])
            #expect(
                texts.warning(of: old)
                    == "The prices are \(age) old and may have changed. You pay the price that the store shows.")
        }
        await shop.fail(nil)
        let current = try await harness.paywall(services)
        await current.load()
        #expect(current.state.oldPrices == nil)
    }

    @Test("plans of the configuration that unlock nothing are not sold, with a reason and an entry in the log")
    func plansUnlockingNothing() async throws {
        func offer(_ plans: [String]) -> Offer {
            Offer(
                id: .a, layoutVariant: "cards", plans: plans.map { Plan(id: $0, displayPrice: "", period: "") },
                defaultPlanID: plans[0])
        }
        let harness = FlowHarness(config: RemoteConfig(offers: [offer(["typo", FlowHarness.weekly])]))
        let paywall = try await harness.open()
        #expect(paywall.state.offer.plans.map(\.id) == [FlowHarness.weekly])
        #expect(paywall.selectedPlanID == FlowHarness.weekly)
        #expect(paywall.state.withheldPlans == [WithheldPlan(id: "typo", reason: .unlocksNothing)])
        #expect(harness.log.events.map(\.productID) == ["typo"])
        #expect(harness.log.kinds.map(\.severity) == [.warning])

        let none = FlowHarness(config: RemoteConfig(offers: [offer(["typo"])]))
        try await none.coordinator.start()
        #expect(try none.coordinator.toPaywall(personalPromiseKey: nil) == nil)
        #expect(none.coordinator.result == .skipped(.nothingToSell))
        #expect(none.log.events.map(\.productID) == ["typo"])
    }

    @Test("an offer whose default plan is not among its plans selects the first one")
    func wrongDefault() async throws {
        let offer = Offer(
            id: .a, layoutVariant: "cards", plans: FlowHarness.offer.plans, defaultPlanID: "typo")
        #expect(try await harness.paywall(offer: offer).state.selectedPlan?.id == FlowHarness.weekly)
    }

    @Test("each kind of event of a paywall has a severity: nothing that the customer did has failed")
    func severities() {
        let kinds: [PurchaseLogEvent.Kind] = [
            .remoteConfigFailed, .riskRefreshFailed, .paywallViewsFailed, .paywallPlanWithheld,
        ]
        #expect(kinds.allSatisfy { $0.severity == .warning })
    }
}

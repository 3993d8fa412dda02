import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// Win-back offers and commitments over the simulator, which signs them as the App Store does.
@Suite("Win-back offers and commitments", .timeLimit(.minutes(15)))
@MainActor
struct SubscriptionTermsTests {
    private let simulator: StoreSimulator
    private let device: StoreSimulator.Customer
    private let service: PurchaseService
    private let entitlements: EntitlementStore
    private let coordinator: ProSubscriptionCoordinator

    init() throws {
        var products = SimulatedPlatform.products
        for index in products.indices where products[index].id == "pro.yearly" {
            products[index].subscription?.billingPlans = [
                .init(type: .billedUpfront, price: Milliunits(39_990), isEnabled: true),
                .init(type: .monthly, price: Milliunits(3_990), commitmentPrice: Milliunits(47_880), isEnabled: true),
            ]
        }
        let simulator = StoreSimulator(
            configuration: StoreConfiguration(products: products), signer: try SimulatorSigner(),
            state: SimulatorState(
                seed: 1, now: Sample.at(0), app: SimulatedApp(bundleID: "com.example.app"), accounts: ["customer"]))
        let device = simulator.customer("customer")
        self.simulator = simulator
        self.device = device
        service = PurchaseService(
            store: device, ledger: InMemoryLedger(), verifier: simulator.verifier,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
        entitlements = EntitlementStore(
            service: service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
        coordinator = ProSubscriptionCoordinator(purchaseService: service, entitlementRefresher: entitlements)
    }

    private func advance(days: Int) async throws {
        try simulator.perform { try $0.advance(byMilliseconds: Int64(days) * Sample.day) }
        await entitlements.refresh()
    }

    private var details: PurchaseDetails? { entitlements.entitlements.purchases(of: .pro).first }

    // MARK: Win-back offers

    @Test("a former subscriber has the win-back offers that the store signs, with their prices, and can accept one")
    func winBack() async throws {
        let product = try #require(try await service.products(for: ["pro.monthly"]).first)
        #expect(await coordinator.buyPro(productID: "pro.monthly") == .success)
        #expect(entitlements.entitlements.winBackOffers(of: product).isEmpty, "the subscription is in force")
        try await device.setRenewal(false, of: try #require(simulator.state.transactions.last).id)
        try await advance(days: 40)
        #expect(!entitlements.entitlements.isPro)
        let offer = try #require(entitlements.entitlements.winBackOffers(of: product).first)
        #expect(offer.id == "back" && offer.type == .winBack)
        #expect(offer.price == Milliunits(1000) && offer.period == .month && offer.paymentMode == .payUpFront)
        let other = try #require(try await service.products(for: ["pro.yearly"]).first)
        #expect(entitlements.entitlements.winBackOffers(of: other).isEmpty)
        let options = PurchaseOptions(offer: .winBack(id: "back"))
        #expect(await coordinator.buyPro(productID: "pro.monthly", options: options) == .success)
        #expect(simulator.state.transactions.last?.price == Milliunits(1000))
        #expect(entitlements.entitlements.winBackOffers(of: product).isEmpty)
    }

    @Test("a win-back offer is found by its exact id, only in the group of the ended subscription")
    func winBackOfGroup() {
        func offer(_ id: String) -> ProductOffer {
            ProductOffer(id: id, type: .winBack, paymentMode: .freeTrial, period: .month, price: Milliunits(0))
        }
        func product(group: String) -> Product {
            Sample.product(
                "pro.monthly",
                subscription: SubscriptionTerms(
                    groupID: group, level: 1, period: .month,
                    winBackOffers: [offer("a"), offer("e\u{301}"), offer("b")]))
        }
        func entitlements(_ ownership: InAppOwnershipType) -> Entitlements {
            Entitlements(
                purchases: [
                    PurchaseDetails(
                        productID: "pro.yearly", transactionID: "1", type: .autoRenewableSubscription,
                        entitlements: [.pro], isGranted: false, ownership: ownership, purchaseDate: Sample.at(0),
                        subscriptionGroupID: "group", eligibleWinBackOfferIDs: ["b", "\u{e9}", "gone", "a"])
                ])
        }
        #expect(entitlements(.purchased).winBackOffers(of: product(group: "group")).map(\.id) == ["b", "a"])
        #expect(entitlements(.purchased).winBackOffers(of: product(group: "other")).isEmpty)
        #expect(entitlements(.familyShared).winBackOffers(of: product(group: "group")).isEmpty)
        #expect(entitlements(.purchased).winBackOffers(of: Sample.product("template.a")).isEmpty)
    }

    // MARK: Commitments

    private let monthly = PurchaseOptions(billingPlan: .monthly)

    @Test("a subscription is bought with a billing plan, and its commitment can be read")
    func billingPlan() async throws {
        #expect(await coordinator.buyPro(productID: "pro.yearly", options: monthly) == .success)
        #expect(simulator.state.transactions.last?.price == Milliunits(3_990))
        let commitment = try #require(details?.commitment)
        #expect(commitment.endDate == Sample.at(0).adding(.year) && commitment.willRenew)
        #expect(commitment.productID == "pro.yearly" && commitment.price == Milliunits(47_880))
        #expect(details?.willRenew == true && details?.planChange == nil)
        #expect(details?.renewsOn == Sample.at(0).adding(.month))
    }

    @Test("a commitment that does not renew will not renew, although its months are charged until its end")
    func endingCommitment() async throws {
        #expect(await coordinator.buyPro(productID: "pro.yearly", options: monthly) == .success)
        let bought = try #require(simulator.state.transactions.last)
        try await device.setRenewal(false, of: bought.id)
        await entitlements.refresh()
        #expect(details?.willRenew == false && details?.commitment?.willRenew == false)
        #expect(details?.commitment?.endDate == Sample.at(0).adding(.year))
        try await advance(days: 200)
        #expect(entitlements.entitlements.isPro && details?.willRenew == false)
        #expect(simulator.state.transactions.count > 5)
        let again = await coordinator.buyPro(productID: "pro.yearly", options: monthly)
        #expect(again == .pending(.renewsAgain(productID: "pro.yearly", date: Sample.at(0).adding(.year))))
        #expect(details?.willRenew == true)
        try await device.setRenewal(false, of: bought.id)
        try await advance(days: 200)
        #expect(!entitlements.entitlements.isPro)
    }

    @Test("a change of plan within a commitment comes with the commitment's end, not with its next month")
    func changeAfterCommitment() async throws {
        #expect(await coordinator.buyPro(productID: "pro.yearly", options: monthly) == .success)
        let end = Sample.at(0).adding(.year)
        let outcome = await coordinator.buyPro(productID: "pro.monthly")
        #expect(outcome == .pending(.changesAtRenewal(productID: "pro.monthly", date: end)))
        let change = PlanChange(productID: "pro.yearly", nextProductID: "pro.monthly", date: end)
        #expect(entitlements.entitlements.planChanges == [change] && details?.planChange == change)
        #expect(details?.willRenew == true)
    }

    @Test("a billing plan that a product or a store does not have is not sold")
    func unknownBillingPlan() async throws {
        let monthlyPlan = await coordinator.buyPro(productID: "pro.monthly", options: monthly)
        #expect(monthlyPlan == .failed(.storeKitError(StoreError(.productUnavailable, ""))))
        let play = simulator.playCustomer("customer")
        await #expect(throws: StoreError.self) {
            _ = try await play.purchase("pro.yearly", options: PurchaseOptions(billingPlan: .monthly))
        }
        #expect(simulator.state.transactions.isEmpty)
    }
}

extension StoreSimulator {
    fileprivate var verifier: ReceiptVerifier {
        ReceiptVerifier(trustAnchors: signer.trustAnchors, clock: { .maximum })
    }
}

import ReceiptTypes
import Testing
import TimerSupport

@testable import Paywall
@testable import PurchaseCore

/// Which purchases are the sale of a paywall, after a tap whose answer was lost.
@Suite("Sales of the paywall", .timeLimit(.minutes(15)))
@MainActor
struct SaleTests {
    private static let network = PurchaseOutcome.failed(.storeKitError(StoreError(.network, "offline")))
    private static let day: Int64 = 86_400_000
    private static let minute: Int64 = 60_000

    private let harness = FlowHarness()

    private var sales: [PaywallEvent] { harness.analytics.events.filter { $0.name == .purchaseSuccess } }

    private func after(_ milliseconds: Int64) -> Timestamp { SetClock.start.adding(milliseconds: milliseconds) }

    private func yearly(
        _ transaction: String, bought: Timestamp, first: Timestamp? = nil, isRenewal: Bool? = nil,
        isGranted: Bool = true, ownership: InAppOwnershipType = .purchased
    ) -> PurchaseDetails {
        harness.details(
            FlowHarness.yearly, transaction, .autoRenewableSubscription, isGranted: isGranted, ownership: ownership,
            bought: bought, first: first, isRenewal: isRenewal)
    }

    /// Taps the button of a new paywall.
    private func buy(_ outcome: PurchaseOutcome = network) async throws -> PaywallViewModel {
        let paywall = try await harness.open()
        harness.manager.outcome = outcome
        await paywall.buy()
        return paywall
    }

    private func expectNoSale(_ paywall: PaywallViewModel, _ comment: Comment) {
        #expect(sales.isEmpty && paywall.state.result == .restored, comment)
        #expect(paywall.state.message?.key == .unlockedElsewhere && harness.coordinator.result == .restored, comment)
    }

    @Test("the renewal of an earlier subscription unlocks, and is no sale of the tap before it")
    func renewal() async throws {
        harness.have([yearly("1", bought: after(-400 * Self.day), isRenewal: false, isGranted: false)])
        let paywall = try await buy()
        harness.have([
            yearly("2", bought: after(Self.minute), first: after(-400 * Self.day), isRenewal: true)
        ])
        expectNoSale(paywall, "the device knew the subscription")

        let other = SaleTests()
        let second = try await other.buy()
        other.harness.have([
            other.yearly("2", bought: after(Self.minute), first: after(-400 * Self.day), isRenewal: true)
        ])
        other.expectNoSale(second, "the device did not know it")
    }

    @Test("a purchase that another device has made before the tap is no sale, and neither is a family-shared one")
    func otherDevice() async throws {
        let paywall = try await buy()
        harness.have([yearly("1", bought: after(-Self.day), isRenewal: false)])
        expectNoSale(paywall, "bought before")

        let other = SaleTests()
        let second = try await other.buy()
        other.harness.have([other.yearly("1", bought: after(Self.minute), ownership: .familyShared)])
        other.expectNoSale(second, "a family member has bought it")
    }

    @Test("a purchase whose refund is reversed after the tap is no sale, also if the tap awaits an approval")
    func reversedRefund() async throws {
        for outcome in [Self.network, .pending(.awaitingApproval)] {
            let test = SaleTests()
            test.harness.have([test.yearly("1", bought: after(-Self.minute), isGranted: false)])
            _ = try await test.buy(outcome)
            test.harness.have([test.yearly("1", bought: after(-Self.minute))])
            #expect(test.sales.isEmpty && test.harness.coordinator.result != .purchased)
        }
    }

    @Test("a restore that finds an earlier purchase after a failed tap is a restore, and no sale")
    func restored() async throws {
        let paywall = try await buy()
        harness.manager.restoreOutcome = .restored(1)
        harness.manager.beforeAnswer = { [self] in harness.have([yearly("1", bought: after(-Self.day))]) }
        #expect(await paywall.restore() == .restored(1))
        #expect(paywall.state.result == .restored && paywall.state.message?.key == .purchasesRestored)
        #expect(sales.isEmpty && harness.analytics.events.contains { $0.name == .restoreSuccess })
    }

    @Test("a customer that subscribes again has bought, although the first date is the one of the former subscription")
    func subscribedAgain() async throws {
        harness.have([yearly("1", bought: after(-400 * Self.day), isRenewal: false, isGranted: false)])
        let paywall = try await buy()
        harness.have([yearly("2", bought: after(Self.minute), first: after(-400 * Self.day), isRenewal: false)])
        #expect(paywall.state.result == .purchased && sales.count == 1)
    }

    @Test("a sale that has been renewed before it arrives is a sale")
    func renewedSale() async throws {
        let paywall = try await buy()
        harness.have([yearly("2", bought: after(366 * Self.day), first: after(Self.minute), isRenewal: true)])
        #expect(paywall.state.result == .purchased && sales.count == 1)
    }

    @Test("a device's clock that is a few minutes ahead does not hide a sale; one that is days ahead hides no order")
    func wrongClock() async throws {
        // By the store's clock, the tap was so many milliseconds earlier than by the device's.
        for (ahead, outcome, isSale) in [
            (4 * Self.minute, Self.network, true), (Self.day, Self.network, false),
            (Self.day, .pending(.awaitingApproval), true), (Self.day, .pending(.notRecorded), true),
        ] {
            let test = SaleTests()
            let paywall = try await test.buy(outcome)
            test.harness.have([test.yearly("1", bought: after(-ahead), isRenewal: false)])
            #expect(test.sales.count == (isSale ? 1 : 0), "\(outcome)")
            #expect(paywall.state.result != nil, "it unlocks in any case")
        }
    }

    // MARK: Purchases that stop no other one

    /// A paywall with a yearly subscription, after a purchase that could not be verified.
    private func unverified(_ type: ProductType = .autoRenewableSubscription) async throws -> PaywallViewModel {
        let paywall = try await harness.paywall(
            ListedProducts([.sample(FlowHarness.weekly), .sample(FlowHarness.yearly, type)]))
        await paywall.load()
        harness.manager.outcome = .pending(.unverified(VerificationFailure(code: .keyNotFound)))
        await paywall.buy()
        #expect(await paywall.buy() == .pending(.noAnswer) && harness.manager.purchases.count == 1)
        harness.manager.outcome = .cancelled
        return paywall
    }

    @Test("a paid purchase that arrives and was refunded meanwhile stops no other purchase, and is no sale")
    func refunded() async throws {
        let paywall = try await unverified(.nonRenewingSubscription)
        harness.have([yearly("1", bought: after(Self.minute), isGranted: false)])
        #expect(await paywall.buy() == .cancelled && harness.manager.purchases.count == 2)
        #expect(sales.isEmpty)
    }

    @Test("a paid purchase stops others until a restore says that it is rejected for good")
    func rejected() async throws {
        let paywall = try await unverified()
        harness.manager.restoreProblems = [PurchaseError(VerificationFailure(code: .keyNotFound))]
        await paywall.restore()
        #expect(await paywall.buy() == .pending(.noAnswer), "it is still not decided")
        harness.manager.restoreProblems = []
        await paywall.restore()
        #expect(await paywall.buy() == .pending(.noAnswer), "nothing says that it is rejected")
        harness.manager.restoreProblems = [PurchaseError(VerificationFailure(code: .signatureInvalid))]
        await paywall.restore()
        #expect(await paywall.buy() == .cancelled && harness.manager.purchases.count == 2)
    }

    @Test("a product is not bought again if its earlier purchase arrives with the refresh before the sale")
    func arrivesWithRefresh() async throws {
        let store = GatedEntitlements()
        let services = PaywallServices(
            entitlement: store, purchase: harness.manager, analytics: harness.analytics, catalog: FlowHarness.catalog,
            timer: StoppedTimer())
        let offer = Offer(
            id: .a, layoutVariant: "cards",
            plans: [
                Plan(id: FlowHarness.export, displayPrice: "", period: ""),
                Plan(id: FlowHarness.weekly, displayPrice: "", period: "week"),
            ], defaultPlanID: FlowHarness.export)
        let coordinator = PaywallCoordinator(
            services: services,
            remoteConfig: RemoteConfigStore(defaults: RemoteConfig(offers: [offer]), timer: StoppedTimer()),
            clock: SetClock().now)
        try await coordinator.start()
        let first = try #require(try coordinator.toPaywall(personalPromiseKey: nil))
        harness.manager.outcome = .pending(.noAnswer)
        await first.buy()
        try first.dismiss()
        let second = try #require(try coordinator.toPaywall(personalPromiseKey: nil))
        store.next = Entitlements(purchases: [harness.details(FlowHarness.export)])
        #expect(await second.buy() == .alreadyOwned && second.state.result == .restored)
        #expect(harness.manager.purchases.count == 1 && sales.count == 1)
    }
}

import PurchaseCore
import ReceiptTypes
import Testing

@testable import Paywall

/// The subscriptions of a customer, and the plans that they can change to.
@Suite("Subscription cards")
struct SubscriptionCardTests {
    private static let renewal = Timestamp(rfc3339: "2026-12-24T00:00:00Z")
    private static let texts = PaywallTexts(languages: ["en"])
    private static let products: [Product] = [
        .sample("basic", period: .month, level: 2), .sample("pro", period: .month), .sample("yearly"),
        .sample("other", period: .month), .sample("premium", period: .month, level: 0), .sample("coins", .consumable),
    ]

    private static func subscription(
        _ productID: String = "pro", isGranted: Bool = true, ownership: InAppOwnershipType = .purchased,
        issue: PurchaseDetails.BillingIssue? = nil, changesTo next: String? = nil
    ) -> PurchaseDetails {
        PurchaseDetails(
            productID: productID, transactionID: "1", type: .autoRenewableSubscription, entitlements: [.pro],
            isGranted: isGranted, ownership: ownership, purchaseDate: .minimum, willRenew: true, renewsOn: renewal,
            billingIssue: issue,
            planChange: next.map { PlanChange(productID: productID, nextProductID: $0, date: renewal) })
    }

    private static func cards(_ purchases: PurchaseDetails...) -> [SubscriptionCard] {
        SubscriptionCard.cards(of: Entitlements(purchases: purchases), products: products, texts: texts)
    }

    private static func labels(_ card: SubscriptionCard?) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (card?.plans ?? []).map { ($0.id, $0.label) })
    }

    @Test("a higher level and an equal plan begin at once, a lower level and another period with the renewal")
    func effects() {
        let card = Self.cards(Self.subscription()).first
        #expect(card?.name == "Name of pro" && card?.state == "Renews on December 24, 2026")
        #expect(card?.plans.first?.id == "pro" && card?.plans.first?.isChoice == false)
        #expect(
            Self.labels(card) == [
                "pro": "Your plan", "premium": "Change now", "other": "Change now",
                "basic": "Change on December 24, 2026", "yearly": "Change on December 24, 2026",
            ])
    }

    @Test("a planned change says when it begins, and the present plan can be kept")
    func plannedChange() {
        let card = Self.cards(Self.subscription(changesTo: "basic")).first
        #expect(Self.labels(card)["basic"] == "Begins on December 24, 2026")
        #expect(Self.labels(card)["pro"] == "Keep this plan")
        #expect(card?.plans.filter { !$0.isChoice }.map(\.id) == ["basic"])
    }

    @Test("a failed payment is marked in a grace period and during billing retry, in which another plan begins at once")
    func failedPayment() {
        let issue = PurchaseDetails.BillingIssue(since: .minimum, deadline: Self.renewal)
        let inGrace = Self.cards(Self.subscription(issue: issue)).first
        #expect(inGrace?.hasPaymentFailed == true)
        #expect(inGrace?.state.contains("Update the payment method by December 24, 2026") == true)
        #expect(Self.labels(inGrace)["basic"] == "Change at the next renewal")
        let retried = Self.cards(Self.subscription(isGranted: false, issue: .init(since: .minimum, deadline: nil)))
            .first
        #expect(retried?.hasPaymentFailed == true && Self.labels(retried)["basic"] == "Change now")
        #expect(Self.cards(Self.subscription(isGranted: false)).isEmpty, "it is over")
    }

    @Test("a family-shared subscription has a state, and can be neither managed nor changed")
    func familyShared() {
        let card = Self.cards(Self.subscription(ownership: .familyShared)).first
        #expect(card?.isManageable == false && card?.plans == [])
        let unknown = Self.cards(Self.subscription("unknown")).first
        #expect(unknown?.name == "unknown" && unknown?.plans == [], "the store does not list it")
    }

    @Test("the effect of a purchase is that on a subscription of the same group, and nil without one")
    func effectOfPurchase() {
        func effect(_ id: String, _ purchases: PurchaseDetails...) -> PlanEffect? {
            Self.products.first { $0.id == id }.flatMap {
                PlanEffect(of: $0, on: Entitlements(purchases: purchases), products: Self.products)
            }
        }
        #expect(effect("basic", Self.subscription()) == .atRenewal(on: Self.renewal))
        #expect(effect("coins", Self.subscription()) == nil && effect("basic") == nil)
        #expect(effect("basic", Self.subscription(ownership: .familyShared)) == nil)
        #expect(Self.texts.notice(of: .atRenewal(on: Self.renewal)) == "The plan changes on December 24, 2026.")
        #expect(Self.texts.notice(of: .atOnce) == "The plan changes at once." && Self.texts.notice(of: .none) == nil)
    }
}

public import ReceiptTypes

/// The entitlements of a customer at an instant, with the grounds of each and the reasons for every denial.
///
/// Two values are equal if they grant, deny and show the same, also if they were computed for different instants.
public struct Entitlements: Sendable {
    /// No entitlements.
    public static let empty = Entitlements()

    /// The grounds of each granted entitlement, the strongest first; no entry is empty.
    public let grounds: [Entitlement: [Ground]]
    /// The reason that a purchased product unlocks nothing, by product id.
    public let denials: [String: DenialReason]
    /// The number of items of each consumable that were bought and not refunded, by product id.
    ///
    /// The app itself keeps count of the items it has used up. While an account is signed in, only its own items count;
    /// see ``AppUser/signedIn(_:)``.
    public let balances: [String: Int]
    /// The subscriptions that renew to another product, the earliest change first.
    public let planChanges: [PlanChange]
    /// What screens show about single purchases, the latest purchase first; see ``purchases(of:)``.
    ///
    /// They are all purchases in force, and of each product the latest purchase that is not.
    public let purchases: [PurchaseDetails]
    /// The instant that the entitlements were computed for; nil if none were computed yet.
    public let asOf: Timestamp?

    /// Creates entitlements, for previews and tests; without arguments, none.
    ///
    /// An ``EntitlementProjection`` computes those of a customer. Without grounds, they are those of the purchases that
    /// are granted.
    public init(
        grounds: [Entitlement: [Ground]]? = nil,
        denials: [String: DenialReason] = [:],
        balances: [String: Int] = [:],
        planChanges: [PlanChange] = [],
        purchases: [PurchaseDetails] = [],
        asOf: Timestamp? = nil
    ) {
        self.grounds = grounds?.filter { !$0.value.isEmpty } ?? Self.grounds(of: purchases)
        self.denials = denials
        self.balances = balances
        self.planChanges = planChanges
        self.purchases = purchases
        self.asOf = asOf
    }

    private static func grounds(of purchases: [PurchaseDetails]) -> [Entitlement: [Ground]] {
        var grounds: [Entitlement: [Ground]] = [:]
        for purchase in purchases where purchase.isGranted {
            for entitlement in purchase.entitlements { grounds[entitlement, default: []].append(purchase.ground) }
        }
        return grounds.mapValues { $0.sorted() }
    }

    /// Whether everything is unlocked.
    public var isPro: Bool { grants(.pro) }

    /// The templates that have grounds of their own, apart from ``Entitlement/pro``.
    public var templates: Set<TemplateID> {
        Set(
            grounds.keys.compactMap { entitlement in
                if case .template(let id) = entitlement { id } else { nil }
            })
    }

    /// Returns whether an entitlement is granted, by a ground of its own or because everything is unlocked.
    public func grants(_ entitlement: Entitlement) -> Bool {
        grounds[entitlement] != nil || grounds[.pro] != nil
    }

    /// Returns whether an entitlement is still granted at a later instant if nothing is renewed or refunded until then.
    public func grants(_ entitlement: Entitlement, at now: Timestamp) -> Bool {
        [entitlement, .pro].contains { grounds[$0]?.contains { $0.isInForce(at: now) } ?? false }
    }

    /// The grounds that the store did not confirm when it last answered, the strongest first.
    ///
    /// They still grant. Ask the customer to sign in to the store or to restore purchases.
    public var unconfirmedGrounds: [Ground] {
        Set(grounds.values.lazy.joined().filter { !$0.isConfirmed }).sorted()
    }

    /// The earliest end of a ground; nil if none ends. A started ``EntitlementStore`` refreshes after it.
    public var nextEnd: Timestamp? { grounds.values.lazy.joined().compactMap(\.end).min() }
}

extension Entitlements: Hashable {
    /// Returns whether both values grant, deny and show the same; ``asOf`` does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.grounds == right.grounds && left.denials == right.denials && left.balances == right.balances
            && left.planChanges == right.planChanges && left.purchases == right.purchases
    }

    /// Feeds everything but ``asOf`` into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(grounds)
        hasher.combine(denials)
        hasher.combine(balances)
        hasher.combine(planChanges)
        hasher.combine(purchases)
    }
}

/// A change of product at the next renewal, such as a downgrade.
public struct PlanChange: Sendable, Hashable {
    /// The product of the current period.
    public let productID: String
    /// The product of the next period.
    public let nextProductID: String
    /// The date of the change; nil if the store has not told it, as Google Play does not.
    public let date: Timestamp?

    /// Creates a plan change.
    public init(productID: String, nextProductID: String, date: Timestamp?) {
        self.productID = productID
        self.nextProductID = nextProductID
        self.date = date
    }
}

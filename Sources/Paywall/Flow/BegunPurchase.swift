internal import PurchaseCore
internal import ReceiptTypes

/// A purchase that was begun on a paywall, with what tells whether it has arrived.
struct BegunPurchase: Sendable {
    /// The offer and the feature of a paywall, for which its purchases count.
    struct Origin: Sendable, Hashable {
        /// The offer that the customer saw; nil for a paywall of a feature, and if it is not known any more.
        var offerID: OfferID?
        var featureID: FeatureID?
    }

    /// What is known about a purchase that has not arrived.
    enum Standing: Sendable {
        /// The store is being asked to sell the product. Its answer says whether the purchase has arrived.
        case running
        /// It awaits an approval. Until then, the purchase service does not order the product again.
        case awaitingApproval
        /// The store may have sold the product.
        case undecided
        /// The store may have sold the product, and a later restore has not found the purchase, or it has arrived and
        /// grants nothing, or the customer has given up its approval. It stops no other purchase.
        case notFound
        /// The customer has paid, and the purchase cannot be verified yet.
        case unverified
        /// The customer has paid.
        case sold
    }

    let productID: String
    let origin: Origin
    var standing: Standing
    /// Tells the purchase from all others that were begun since the launch; 0 for one of an earlier launch.
    let number: Int
    /// The id of the event that counts the purchase, which is the same after a launch.
    let eventID: AnalyticsEvent.ID
    /// What the product unlocks.
    let unlocks: Set<Entitlement>
    /// What tells the sale of this purchase from other purchases of the product.
    let start: PurchaseStart

    init(
        _ productID: String, on origin: Origin, _ standing: Standing, number: Int = 0, eventID: AnalyticsEvent.ID,
        start: PurchaseStart, _ services: PaywallServices
    ) {
        self.productID = productID
        self.origin = origin
        self.standing = standing
        self.number = number
        self.eventID = eventID
        self.start = start
        unlocks = services.entitlements(soldBy: productID)
    }

    /// What a customer that has bought the product has: the feature of the paywall, or the strongest entitlement.
    var entitlement: Entitlement? { origin.featureID.map { .feature($0) } ?? unlocks.strongestFirst.first }

    /// Returns whether everything that the product unlocks is granted by the product itself.
    ///
    /// Another product can grant the same, and proves nothing about this one.
    func isUnlocked(in entitlements: Entitlements) -> Bool {
        !unlocks.isEmpty
            && unlocks.allSatisfy { entitlement in
                entitlements.grounds[entitlement]?.contains { $0.productID.isIdentical(to: productID) } ?? false
            }
    }

    /// Returns whether everything that the product unlocks is granted, and one of its purchases is the sale.
    func hasArrived(in entitlements: Entitlements) -> Bool {
        isUnlocked(in: entitlements) && sales(in: entitlements).contains(where: \.isGranted)
    }

    /// Returns whether the sale has arrived and grants nothing, for example because it was refunded meanwhile.
    func grantsNothing(in entitlements: Entitlements) -> Bool {
        let sales = sales(in: entitlements)
        return !sales.isEmpty && !sales.contains(where: \.isGranted)
    }

    private func sales(in entitlements: Entitlements) -> [PurchaseDetails] {
        // The store has taken the order, so its answer says more than the clock.
        let isOrdered =
            switch standing {
            case .awaitingApproval, .unverified, .sold: true
            case .running, .undecided, .notFound: false
            }
        return entitlements.purchases(of: productID).filter { start.isFollowed(by: $0, isOrdered: isOrdered) }
    }

    /// Returns whether a product would be bought in addition to this one, for the same purpose.
    func overlaps(_ productID: String, unlocking others: Set<Entitlement>) -> Bool {
        self.productID.isIdentical(to: productID) || !unlocks.isDisjoint(with: others)
            || unlocks.contains(.pro) || others.contains(.pro)
    }
}

/// What was known when a purchase was begun, which tells its sale from other purchases of the product.
///
/// Later, the store can deliver a renewal, a purchase of another device, one of a family member, or one whose refund
/// was reversed. None of them is the sale.
struct PurchaseStart: Sendable, Hashable {
    /// The milliseconds by which the device's clock can be ahead of the store's.
    ///
    /// With a larger difference, a sale that the store has not confirmed does not count, but unlocks all the same. A
    /// larger tolerance would count purchases that another device has made shortly before.
    static let clockTolerance: Int64 = 5 * 60_000

    /// The time by the device's clock.
    let date: Timestamp
    /// The store's date of the latest known purchase of the product; nil if none was known.
    let latestKnown: Timestamp?

    /// Returns whether a purchase of the product is the sale of the purchase that was begun.
    ///
    /// The customer has bought it, it is later than every purchase that was known before, and the store has sold it no
    /// earlier than the tap. A renewal has the date of the first purchase.
    ///
    /// - Parameter isOrdered: Whether the store has confirmed the order, so that the device's clock does not matter.
    func isFollowed(by purchase: PurchaseDetails, isOrdered: Bool) -> Bool {
        guard purchase.ownership != .familyShared else { return false }
        // A customer that subscribes again has the first date of the former subscription, but buys.
        let sold = purchase.isRenewal == false ? purchase.purchaseDate : purchase.originalPurchaseDate
        if let latestKnown, sold <= latestKnown { return false }
        return isOrdered || sold >= date.adding(milliseconds: -Self.clockTolerance)
    }
}

extension PurchaseStart {
    /// Notes what is known about a product.
    init(of productID: String, in entitlements: Entitlements, at date: Timestamp) {
        self.init(date: date, latestKnown: entitlements.purchases(of: productID).map(\.purchaseDate).max())
    }
}

extension Entitlements {
    fileprivate func purchases(of productID: String) -> [PurchaseDetails] {
        purchases.filter { $0.productID.isIdentical(to: productID) }
    }
}

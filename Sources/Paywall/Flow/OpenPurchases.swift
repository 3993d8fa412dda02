internal import PurchaseCore
internal import ReceiptTypes

/// A purchase that was begun on a paywall, with what tells whether it has arrived.
struct BegunPurchase: Sendable {
    /// What is known about a purchase that has not arrived.
    enum Standing: Sendable {
        /// It awaits an approval. Until then, the purchase service does not order the product again.
        case awaitingApproval
        /// The store may have sold the product.
        case undecided
        /// The store may have sold the product, and a later restore has not found the purchase.
        case notFound
        /// The customer has paid.
        case sold
    }

    let productID: String
    /// The offer that the customer saw; nil for a paywall of a feature, and for a purchase of an earlier launch.
    let offerID: OfferID?
    let featureID: FeatureID?
    /// What the product unlocks.
    let unlocks: Set<Entitlement>
    var standing = Standing.undecided
    /// The transactions of the product that granted something before, which are not this purchase.
    private let earlier: Set<ExactString>

    @MainActor
    init(_ productID: String, offerID: OfferID?, featureID: FeatureID?, _ services: PaywallServices) {
        self.productID = productID
        self.offerID = offerID
        self.featureID = featureID
        unlocks = services.entitlements(soldBy: productID)
        earlier = Set(
            services.entitlement.entitlements.grounds.values.joined()
                .filter { $0.productID.isIdentical(to: productID) }.map { ExactString($0.transactionID) })
    }

    /// What a customer that has bought the product has: the feature of the paywall, or the strongest entitlement.
    var entitlement: Entitlement? { featureID.map { .feature($0) } ?? unlocks.strongestFirst.first }

    /// Returns whether everything that the product unlocks is granted by the product itself.
    ///
    /// Another purchase can grant the same, and proves nothing about this one.
    func isUnlocked(in entitlements: Entitlements) -> Bool { isGranted(in: entitlements) { _ in true } }

    /// Returns whether everything that the product unlocks is granted by a transaction that was not there before.
    func hasArrived(in entitlements: Entitlements) -> Bool {
        isGranted(in: entitlements) { !earlier.contains(ExactString($0.transactionID)) }
    }

    private func isGranted(in entitlements: Entitlements, by isProof: (Ground) -> Bool) -> Bool {
        !unlocks.isEmpty
            && unlocks.allSatisfy { entitlement in
                entitlements.grounds[entitlement]?.contains {
                    $0.productID.isIdentical(to: productID) && isProof($0)
                } ?? false
            }
    }

    /// Returns whether a product would be bought in addition to this one, for the same purpose.
    func overlaps(_ productID: String, unlocking others: Set<Entitlement>) -> Bool {
        self.productID.isIdentical(to: productID) || !unlocks.isDisjoint(with: others)
            || unlocks.contains(.pro) || others.contains(.pro)
    }
}

/// The purchases that were begun on the paywalls of a customer and have not arrived, at most one of each product.
@MainActor
final class OpenPurchases {
    private(set) var list: [BegunPurchase] = []

    /// Adds a purchase, in place of an earlier one of the same product.
    func add(_ purchase: BegunPurchase, _ standing: BegunPurchase.Standing) {
        remove(purchase.productID)
        var purchase = purchase
        purchase.standing = standing
        list.append(purchase)
    }

    func remove(_ productID: String) { list.removeAll { $0.productID.isIdentical(to: productID) } }

    func removeAll() { list = [] }

    /// Removes and returns the purchases that have arrived.
    ///
    /// - Parameter productID: A product that is being bought: the outcome of its purchase says whether it was sold.
    func takeArrived(in entitlements: Entitlements, except productID: String?) -> [BegunPurchase] {
        let arrived = list.filter { purchase in
            let isBeingBought = productID.map(purchase.productID.isIdentical) ?? false
            return !isBeingBought && purchase.hasArrived(in: entitlements)
        }
        for purchase in arrived { remove(purchase.productID) }
        return arrived
    }

    /// Returns the purchases that may have cost money for the purpose of a product.
    func unsettled(overlapping productID: String, _ services: PaywallServices) -> [BegunPurchase] {
        let unlocks = services.entitlements(soldBy: productID)
        return list.filter {
            ($0.standing == .undecided || $0.standing == .sold) && $0.overlaps(productID, unlocking: unlocks)
        }
    }

    /// Whether a purchase for the purpose of a product awaits an approval or may have been made.
    func isWaiting(for productID: String, _ services: PaywallServices) -> Bool {
        list.contains {
            $0.standing != .notFound
                && $0.overlaps(productID, unlocking: services.entitlements(soldBy: productID))
        }
    }

    /// Notes that a restore has had the store's complete answer. A purchase that still arrives counts as before.
    func restoreHasEnded() {
        list = list.map { purchase in
            guard purchase.standing == .undecided else { return purchase }
            var purchase = purchase
            purchase.standing = .notFound
            return purchase
        }
    }

    /// Takes over the list of the purchases that await an approval, also those of an earlier launch.
    func update(pending productIDs: [String], _ services: PaywallServices) {
        // Declined, given up, or arrived before anything observed it.
        list.removeAll { open in
            open.standing == .awaitingApproval && !productIDs.contains { $0.isIdentical(to: open.productID) }
        }
        for id in productIDs where !list.contains(where: { $0.productID.isIdentical(to: id) }) {
            add(BegunPurchase(id, offerID: nil, featureID: nil, services), .awaitingApproval)
        }
    }
}

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
    let origin: Origin
    /// What the product unlocks.
    let unlocks: Set<Entitlement>
    var standing = Standing.undecided
    /// The transactions of the product that granted something before, which are not this purchase.
    let earlier: Set<ExactString>

    /// Creates a purchase that begins now.
    @MainActor
    init(_ productID: String, on origin: Origin, _ services: PaywallServices) {
        self.productID = productID
        self.origin = origin
        unlocks = services.entitlements(soldBy: productID)
        earlier = Set(
            services.entitlement.entitlements.grounds.values.joined()
                .filter { $0.productID.isIdentical(to: productID) }.map { ExactString($0.transactionID) })
    }

    /// Creates a purchase of an earlier launch, before which the customer did not have the product.
    init(_ productID: String, on origin: Origin, _ standing: Standing, _ services: PaywallServices) {
        self.productID = productID
        self.origin = origin
        self.standing = standing
        unlocks = services.entitlements(soldBy: productID)
        earlier = []
    }

    /// What a customer that has bought the product has: the feature of the paywall, or the strongest entitlement.
    var entitlement: Entitlement? { origin.featureID.map { .feature($0) } ?? unlocks.strongestFirst.first }

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
    private(set) var list: [BegunPurchase] = [] {
        didSet { file?.write(list) }
    }
    /// Keeps the purchases across launches.
    private let file: OpenPurchaseFile?

    init(file: OpenPurchaseFile? = nil) {
        self.file = file
    }

    /// Takes over the purchases of earlier launches; after that has succeeded, a call does nothing.
    func load(_ services: PaywallServices) async {
        let stored = await file?.load(services) ?? []
        list += stored.filter { purchase in !list.contains { $0.productID.isIdentical(to: purchase.productID) } }
    }

    /// Returns when the purchases are in the file, or when the file has failed, which is logged.
    func flush() async { await file?.flush() }

    /// Adds a purchase, in place of an earlier one of the same product.
    private func add(_ purchase: BegunPurchase) {
        remove(purchase.productID)
        list.append(purchase)
    }

    func remove(_ productID: String) { list.removeAll { $0.productID.isIdentical(to: productID) } }

    func removeAll() {
        list = []
        file?.removeAll()
    }

    /// Adds a purchase that begins, and returns the one of the same product whose place it takes.
    func begin(_ purchase: BegunPurchase) -> BegunPurchase? {
        let earlier = list.first { $0.productID.isIdentical(to: purchase.productID) }
        add(purchase)
        return earlier
    }

    /// Notes how a purchase has ended.
    ///
    /// - Parameters:
    ///   - standing: What is known about it; nil if nothing was bought, so that the earlier one is back in its place.
    ///   - earlier: The purchase whose place it has taken.
    func end(_ purchase: BegunPurchase, _ standing: BegunPurchase.Standing?, earlier: BegunPurchase?) {
        // It can have arrived meanwhile, or belong to a user that has signed out.
        guard list.contains(where: { $0.productID.isIdentical(to: purchase.productID) }) else { return }
        if let standing {
            var purchase = purchase
            purchase.standing = standing
            add(purchase)
        } else if let earlier {
            add(earlier)
        } else {
            remove(purchase.productID)
        }
    }

    /// Removes the purchases that have arrived, and reports each to analytics, with the offer of its own paywall.
    ///
    /// - Parameter productID: A product that is being bought: the outcome of its purchase says whether it was sold.
    func countArrivals(_ services: PaywallServices, except productID: String?) -> [BegunPurchase] {
        let arrived = list.filter { purchase in
            let isBeingBought = productID.map(purchase.productID.isIdentical) ?? false
            return !isBeingBought && purchase.hasArrived(in: services.entitlement.entitlements)
        }
        for purchase in arrived {
            remove(purchase.productID)
            services.analytics.track(
                .purchaseSuccess(
                    offerID: purchase.origin.offerID, planID: purchase.productID, featureID: purchase.origin.featureID))
        }
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
            add(BegunPurchase(id, on: .init(), .awaitingApproval, services))
        }
    }
}

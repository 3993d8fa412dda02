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
        /// The store may have sold the product, and a later restore has not found the purchase.
        case notFound
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
    /// The transactions of the product that granted something before, which are not this purchase.
    let earlier: Set<ExactString>

    /// - Parameter earlier: The transactions of the product that are not this purchase.
    init(
        _ productID: String, on origin: Origin, _ standing: Standing, number: Int = 0, eventID: AnalyticsEvent.ID,
        earlier: Set<ExactString>, _ services: PaywallServices
    ) {
        self.productID = productID
        self.origin = origin
        self.standing = standing
        self.number = number
        self.eventID = eventID
        self.earlier = earlier
        unlocks = services.entitlements(soldBy: productID)
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
        didSet { writeFile() }
    }
    /// The purchases that have arrived, until the events that count them are stored; after a launch, they count again.
    private var counted: [BegunPurchase] = []
    private var storing: Task<Void, Never>?
    /// The number of times that another user has signed in. What was asked for before it is about the former user.
    private(set) var generation = 0

    /// Keeps the purchases across launches.
    private let file: OpenPurchaseFile?
    private let makeEventID: () -> AnalyticsEvent.ID
    private var areEntitlementsLoaded: Bool
    private var lastNumber = 0
    /// The purchases whose place a running one of the same product has taken, by the number of the running one.
    private var replaced: [Int: BegunPurchase] = [:]

    init(
        _ entitlement: any EntitlementProviding, file: OpenPurchaseFile? = nil,
        makeEventID: @escaping () -> AnalyticsEvent.ID = StoredPaywallAnalytics.randomID
    ) {
        areEntitlementsLoaded = entitlement.freshness != .notLoaded
        self.file = file
        self.makeEventID = makeEventID
    }

    /// Takes over the purchases of earlier launches; after that has succeeded, a call does nothing.
    func load(_ services: PaywallServices) async {
        let stored = await file?.load(services, makeEventID: makeEventID) ?? []
        list += stored.filter { index(of: $0.productID) == nil }
    }

    /// Returns when the purchases are in the file, or when the file has failed, which is logged.
    func flush() async {
        await storing?.value
        await file?.flush()
    }

    private func writeFile() {
        file?.write(list + counted.filter { index(of: $0.productID) == nil })
    }

    /// Forgets everything if another user has signed in: entitlements that were loaded are not loaded any more.
    ///
    /// Returns whether that is so. Call it within each change of the entitlements.
    func forgetsFormerUser(_ entitlement: any EntitlementProviding) -> Bool {
        let wereLoaded = areEntitlementsLoaded
        areEntitlementsLoaded = entitlement.freshness != .notLoaded
        guard wereLoaded, !areEntitlementsLoaded else { return false }
        generation += 1
        counted = []
        list = []
        replaced = [:]
        file?.removeAll()
        return true
    }

    // MARK: Beginning and ending

    /// Adds a purchase that begins now, in place of an earlier one of the same product.
    func begin(
        _ productID: String, on origin: BegunPurchase.Origin, _ services: PaywallServices
    ) -> BegunPurchase {
        lastNumber += 1
        let purchase = BegunPurchase(
            productID, on: origin, .running, number: lastNumber, eventID: makeEventID(),
            earlier: Self.granting(productID, services), services)
        replaced[lastNumber] = index(of: productID).map { list[$0] }
        add(purchase)
        return purchase
    }

    /// Notes how a running purchase has ended; returns false if its user has signed out.
    ///
    /// - Parameter standing: What is known about it; nil if nothing was bought, so that an earlier one is back in its
    ///   place.
    func end(_ purchase: BegunPurchase, _ standing: BegunPurchase.Standing?) -> Bool {
        let earlier = replaced.removeValue(forKey: purchase.number)
        guard list.contains(where: { $0.number == purchase.number }) else { return false }
        // A product that awaits an approval is not ordered again, so the approval is the one of the earlier purchase.
        let isEarlierOne = standing == nil || standing == .awaitingApproval && earlier?.standing == .awaitingApproval
        if let earlier, isEarlierOne {
            add(earlier)
        } else if let standing {
            var ended = purchase
            ended.standing = standing
            add(ended)
        } else {
            remove(purchase.productID)
        }
        return true
    }

    private func add(_ purchase: BegunPurchase) {
        remove(purchase.productID)
        list.append(purchase)
    }

    private func remove(_ productID: String) { list.removeAll { $0.productID.isIdentical(to: productID) } }

    private func index(of productID: String) -> Int? {
        list.firstIndex { $0.productID.isIdentical(to: productID) }
    }

    /// The transactions of a product that grant something now.
    private static func granting(_ productID: String, _ services: PaywallServices) -> Set<ExactString> {
        let grounds = services.entitlement.entitlements.grounds.values.joined()
        return Set(grounds.filter { $0.productID.isIdentical(to: productID) }.map { ExactString($0.transactionID) })
    }

    // MARK: Arriving

    /// Removes the purchases that have arrived, and reports each to analytics, with the offer of its own paywall.
    func countArrivals(_ services: PaywallServices) -> [BegunPurchase] {
        let entitlements = services.entitlement.entitlements
        let arrived = list.filter { $0.standing != .running && $0.hasArrived(in: entitlements) }
        for purchase in arrived { count(purchase, services) }
        return arrived
    }

    /// Removes a purchase that has arrived, and reports it to analytics, with the offer of its own paywall.
    func count(_ purchase: BegunPurchase, _ services: PaywallServices) {
        counted.append(purchase)
        remove(purchase.productID)
        services.analytics.track(
            .purchaseSuccess(
                offerID: purchase.origin.offerID, planID: purchase.productID, featureID: purchase.origin.featureID),
            id: purchase.eventID)
        forgetCounted(services.analytics)
    }

    /// Removes the purchases from the file whose events are stored.
    private func forgetCounted(_ analytics: any PaywallAnalytics) {
        guard storing == nil else { return }
        storing = Task {
            while !self.counted.isEmpty {
                let ids = self.counted.map(\.eventID)
                guard await analytics.flush() else { break }
                self.counted.removeAll { ids.contains($0.eventID) }
                self.writeFile()
            }
            self.storing = nil
        }
    }

    /// Notes that a restore has had the store's complete answer. A purchase that still arrives counts as before.
    ///
    /// About a running purchase it says nothing: the customer may be paying on another screen.
    func restoreHasEnded() {
        list = list.map { purchase in
            guard purchase.standing == .undecided else { return purchase }
            var purchase = purchase
            purchase.standing = .notFound
            return purchase
        }
    }

    /// Takes over the purchase service's list of the approvals that are awaited, also those of an earlier launch.
    ///
    /// - Parameter countArrivals: Counts the purchases that have arrived.
    func updateApprovals(_ services: PaywallServices, countArrivals: @MainActor () -> Void) async {
        let generation = generation
        let awaited = list.filter { $0.standing == .awaitingApproval }.map(\.productID)
        guard let pending = await services.pendingProductIDs(), generation == self.generation else { return }
        let gone = awaited.filter { id in !pending.contains { $0.isIdentical(to: id) } }
        if !gone.isEmpty {
            // One that is approved is not pending either. It is in the entitlements after a refresh.
            await services.refreshEntitlements()
            guard generation == self.generation else { return }
            countArrivals()
            list.removeAll { open in
                open.standing == .awaitingApproval && gone.contains { $0.isIdentical(to: open.productID) }
            }
        }
        for id in pending {
            guard let index = index(of: id) else {
                let earlier = Self.granting(id, services)
                add(
                    BegunPurchase(
                        id, on: .init(), .awaitingApproval, eventID: makeEventID(), earlier: earlier, services))
                continue
            }
            switch list[index].standing {
            case .undecided, .notFound: list[index].standing = .awaitingApproval
            case .running, .awaitingApproval, .sold: break
            }
        }
    }

    // MARK: Buying once

    /// Returns the purchases that may have cost money for the purpose of a product.
    func unsettled(overlapping productID: String, _ services: PaywallServices) -> [BegunPurchase] {
        let unlocks = services.entitlements(soldBy: productID)
        return list.filter { purchase in
            switch purchase.standing {
            case .running, .undecided, .sold: purchase.overlaps(productID, unlocking: unlocks)
            case .awaitingApproval, .notFound: false
            }
        }
    }

    /// Whether a purchase for the purpose of a product awaits an approval or may have been made.
    func isWaiting(for productID: String, _ services: PaywallServices) -> Bool {
        let unlocks = services.entitlements(soldBy: productID)
        return list.contains { $0.standing != .notFound && $0.overlaps(productID, unlocking: unlocks) }
    }
}

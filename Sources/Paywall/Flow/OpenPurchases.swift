internal import PurchaseCore
internal import ReceiptTypes

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
    private let clock: @Sendable () -> Timestamp
    /// The number of changes of the user that were seen.
    private var userChanges: Int
    private var lastNumber = 0
    /// The purchases whose place a running one of the same product has taken, by the number of the running one.
    private var replaced: [Int: BegunPurchase] = [:]

    init(
        _ entitlement: any EntitlementProviding, file: OpenPurchaseFile?,
        clock: @escaping @Sendable () -> Timestamp,
        makeEventID: @escaping () -> AnalyticsEvent.ID = StoredPaywallAnalytics.randomID
    ) {
        userChanges = entitlement.userChanges
        self.file = file
        self.clock = clock
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

    /// Forgets everything if another user has signed in, and returns whether that is so.
    ///
    /// Call it within each change of the entitlements.
    func forgetsFormerUser(_ entitlement: any EntitlementProviding) -> Bool {
        guard entitlement.userChanges != userChanges else { return false }
        userChanges = entitlement.userChanges
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
            start: start(of: productID, services), services)
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

    private func start(of productID: String, _ services: PaywallServices) -> PurchaseStart {
        PurchaseStart(of: productID, in: services.entitlement.entitlements, at: clock())
    }

    // MARK: Arriving

    /// Removes the purchases that have arrived, and reports each to analytics, with the offer of its own paywall.
    func countArrivals(_ services: PaywallServices) -> [BegunPurchase] {
        let entitlements = services.entitlement.entitlements
        let arrived = list.filter { $0.standing != .running && $0.hasArrived(in: entitlements) }
        for purchase in arrived { count(purchase, services) }
        change { $0.grantsNothing(in: entitlements) ? .notFound : $0.standing }
        return arrived
    }

    /// Changes what is known about the purchases that may have cost money and await no approval.
    private func change(_ standing: (BegunPurchase) -> BegunPurchase.Standing) {
        let changed = list.map { purchase in
            guard [.undecided, .unverified, .sold].contains(purchase.standing) else { return purchase }
            var purchase = purchase
            purchase.standing = standing(purchase)
            return purchase
        }
        if changed.map(\.standing) != list.map(\.standing) { list = changed }
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

    /// Notes what the store has answered to a restore. A purchase that still arrives counts as before.
    ///
    /// About a running purchase it says nothing: the customer may be paying on another screen.
    func restoreHasEnded(_ result: OneTimeRestoreResult) {
        change { purchase in
            switch purchase.standing {
            case .undecided where result.isComplete: .notFound
            // One that is verified now has arrived, so this one is among those that are rejected for good.
            case .unverified where result.onlyRejectsForGood: .undecided
            default: purchase.standing
            }
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
                add(
                    BegunPurchase(
                        id, on: .init(), .awaitingApproval, eventID: makeEventID(), start: start(of: id, services),
                        services))
                continue
            }
            switch list[index].standing {
            case .undecided, .notFound: list[index].standing = .awaitingApproval
            case .running, .awaitingApproval, .unverified, .sold: break
            }
        }
    }

    /// Notes that the customer has given up the approval of a purchase, so that the product can be ordered again.
    ///
    /// If it is approved all the same, it counts as before.
    func giveUpApproval(of productID: String) {
        guard let index = index(of: productID), list[index].standing == .awaitingApproval else { return }
        list[index].standing = .notFound
    }

    // MARK: Buying once

    /// Returns the purchases that may have cost money for the purpose of a product.
    func unsettled(overlapping productID: String, _ services: PaywallServices) -> [BegunPurchase] {
        let unlocks = services.entitlements(soldBy: productID)
        return list.filter { purchase in
            switch purchase.standing {
            case .running, .undecided, .unverified, .sold: purchase.overlaps(productID, unlocking: unlocks)
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

public import ReceiptTypes

/// Computes the eligibility for introductory offers, and the remaining days of a free trial.
public struct TrialManager: Sendable {
    /// The verified transactions and renewal infos.
    public let evidence: PurchaseEvidence
    private let now: Timestamp

    /// Creates a manager for the time of the device's clock; setting it back adds no trial days beyond the limits of
    /// ``ClockMarks``.
    public init(evidence: PurchaseEvidence, clock now: Timestamp) {
        self.evidence = evidence
        self.now = evidence.time(byClock: now)
    }

    /// Returns whether the customer is eligible for a product's introductory offer.
    ///
    /// An account of the store can use one introductory offer in a subscription group, even if it was refunded, and
    /// none while a subscription of the group is in force. A purchase of another user of the app counts too, because
    /// the store does not know the app's users. A family-shared subscription belongs to the family member that pays for
    /// it, and does not count.
    public func introductoryOffer(of product: Product) -> TrialEligibility {
        guard let terms = product.subscription, let offer = terms.introductoryOffer else {
            return .ineligible(.noOffer)
        }
        let subscriptions = purchases.filter { $0.kind == .autoRenewable && $0.ownership != .familyShared }
        let inGroup = subscriptions.filter { $0.subscriptionGroupID?.isIdentical(to: terms.groupID) ?? false }
        if inGroup.contains(where: { $0.offerType == .introductory }) { return .ineligible(.alreadyUsed) }
        if inGroup.contains(where: { $0.standing(at: now).isInForce || isInGracePeriod($0) }) {
            return .ineligible(.subscribed)
        }
        let others = evidence.offersUsedByOthers
        if others.groupIDs.contains(terms.groupID) { return .ineligible(.alreadyUsed) }
        // Without the store's answer, or with a subscription of an unknown group, the evidence may be incomplete. So it
        // is without the first period of a subscription, for example after a reinstallation and before a restore.
        let isGroupUnknown = subscriptions.contains { $0.subscriptionGroupID == nil }
        let isUnclear = others.unclearGroupIDs.contains(terms.groupID) || !inGroup.withoutFirstPeriod.isEmpty
        // The data of a Google Play purchase does not say whether it began with an offer.
        let isOfferUnknown = inGroup.contains { $0.play != nil }
        guard evidence.isStoreReachable, others.isComplete, !isGroupUnknown, !isUnclear, !isOfferUnknown else {
            return .unknown
        }
        return .eligible(offer)
    }

    /// The latest version of each purchase, except those whose absence from the store is confirmed.
    private var purchases: [Transaction] {
        evidence.transactions.latestVersions().filter { evidence.absences.isConfirmed($0) != true }
    }

    private func isInGracePeriod(_ transaction: Transaction) -> Bool {
        evidence.renewalInfos.contains {
            $0.originalTransactionID.isIdentical(to: transaction.originalID) && $0.isInGracePeriod(at: now)
        }
    }

    /// Returns the remaining days of a free trial: ``remainingTrialDays()`` under the source documents' name.
    public func getRemainingTrialDays() -> Int? { remainingTrialDays() }

    /// Returns the remaining days of a free trial, including the current one; nil if no trial is in force.
    public func remainingTrialDays() -> Int? {
        let ends = purchases.filter {
            $0.offerPaymentMode == .freeTrial
                && $0.isCurrentEntitlement(at: now, earliestEnd: evidence.earliestConfirmedEnd)
        }.compactMap(\.expiresDate)
        return ends.max().map { Self.days(until: $0, from: now) }
    }

    /// Returns the remaining days of the free trial of one purchase, including the current one; nil without a trial in
    /// force.
    ///
    /// A trial is over when its period has ended, also while a grace period keeps the access.
    public func remainingTrialDays(of purchase: PurchaseDetails) -> Int? {
        Self.remainingTrialDays(of: purchase, at: now)
    }

    /// Returns the same for the time that entitlements were computed for.
    package static func remainingTrialDays(of purchase: PurchaseDetails, at now: Timestamp) -> Int? {
        guard purchase.period == .trial, purchase.isGranted, purchase.billingIssue == nil,
            let end = purchase.periodEnds, now <= end
        else { return nil }
        return days(until: end, from: now)
    }

    private static func days(until end: Timestamp, from now: Timestamp) -> Int {
        // Both are within ten thousand years, so the difference cannot overflow.
        let milliseconds = end.millisecondsSince1970 - now.millisecondsSince1970
        return Int((milliseconds + Timestamp.millisecondsPerDay - 1) / Timestamp.millisecondsPerDay)
    }
}

/// The eligibility of a customer for an introductory offer.
public enum TrialEligibility: Sendable, Hashable {
    /// The reason that a customer is not eligible.
    public enum Reason: String, Sendable, Hashable {
        /// The product has no introductory offer.
        case noOffer = "no-offer"
        /// The store's account has already used an introductory offer of this group, or has a subscription of it that
        /// belongs to another user of the app.
        case alreadyUsed = "already-used"
        /// The customer has a subscription of this group.
        case subscribed
    }

    /// The customer is eligible; the payment mode of the offer says whether it is a free trial.
    case eligible(ProductOffer)
    /// The customer is not eligible.
    case ineligible(Reason)
    /// The evidence is incomplete.
    case unknown
}

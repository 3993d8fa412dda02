public import ReceiptTypes

/// Tells who may try a subscription, and how long a trial still lasts.
public struct TrialManager: Sendable {
    /// Everything by which it is judged.
    public let evidence: PurchaseEvidence
    private let now: Timestamp

    /// Takes evidence and what the device's clock shows; a clock that was set back makes no difference.
    public init(evidence: PurchaseEvidence, clock now: Timestamp) {
        self.evidence = evidence
        self.now = evidence.clock.time(byClock: now)
    }

    /// Whether a product's introductory offer applies to the customer.
    ///
    /// It does once in a subscription group, whatever became of it, and never for somebody who changes from one
    /// subscription of the group to another.
    public func introductoryOffer(of product: Product) -> TrialEligibility {
        guard let terms = product.subscription, let offer = terms.introductoryOffer else {
            return .ineligible(.noOffer)
        }
        let subscriptions = evidence.transactions.latestVersions().filter { $0.type == .autoRenewableSubscription }
        let inGroup = subscriptions.filter { $0.subscriptionGroupID?.isIdentical(to: terms.groupID) ?? false }
        if inGroup.contains(where: { $0.offerType == .introductory }) { return .ineligible(.alreadyUsed) }
        if inGroup.contains(where: { $0.stands(at: now) }) || isInGrace(inGroup) { return .ineligible(.subscribed) }
        // Somebody who seems to have bought nothing may have done so where the store was not asked.
        let isGroupUnclear = subscriptions.contains { $0.subscriptionGroupID == nil }
        guard evidence.isStoreReachable, !isGroupUnclear else { return .unknown }
        return .eligible(offer)
    }

    private func isInGrace(_ transactions: [Transaction]) -> Bool {
        transactions.contains { transaction in
            evidence.renewalInfos.contains {
                $0.originalTransactionID.isIdentical(to: transaction.originalID)
                    && ($0.gracePeriodExpiresDate.map { now <= $0 } ?? false)
            }
        }
    }

    /// The days that a free trial still lasts, the one that has begun included; nil where there is none.
    public func remainingTrialDays() -> Int? {
        let ends = evidence.transactions.latestVersions().filter {
            $0.offerPaymentMode == .freeTrial && $0.stands(at: now)
        }.compactMap(\.expiresDate)
        guard let end = ends.max() else { return nil }
        // Both are within ten thousand years: no difference of them overflows.
        let milliseconds = end.millisecondsSince1970 - now.millisecondsSince1970
        return Int((milliseconds + Timestamp.millisecondsPerDay - 1) / Timestamp.millisecondsPerDay)
    }
}

internal import ReceiptTypes

/// The introductory offers that cannot be used any more, because of purchases that are not told otherwise.
///
/// An account of the store can use one introductory offer in a subscription group, whichever user of the app has used
/// it.
public struct UsedOffers: Sendable, Hashable {
    /// The subscription groups in which an offer was used, or a subscription is in force.
    public let groupIDs: Set<String>
    /// The subscription groups in which it is not known whether an offer was used.
    public let unclearGroupIDs: Set<String>
    /// Whether the group of every purchase is known.
    public let isComplete: Bool

    /// Creates a value; without arguments, one that excludes no offer.
    public init(groupIDs: Set<String> = [], unclearGroupIDs: Set<String> = [], isComplete: Bool = true) {
        self.groupIDs = groupIDs
        self.unclearGroupIDs = unclearGroupIDs
        self.isComplete = isComplete
    }

    /// Creates the offers that verified transactions have used up at an instant.
    ///
    /// - Parameter isDecided: Whether there is no other transaction that can be verified later.
    init(by transactions: [Transaction], _ renewalInfos: [RenewalInfo], at now: Timestamp, isDecided: Bool) {
        let subscriptions = transactions.filter { $0.kind == .autoRenewable && $0.ownership != .familyShared }
        var used: Set<String> = []
        for subscription in subscriptions {
            guard let group = subscription.subscriptionGroupID else { continue }
            let isInGracePeriod = renewalInfos.contains {
                $0.originalTransactionID.isIdentical(to: subscription.originalID) && $0.isInGracePeriod(at: now)
            }
            if subscription.offerType == .introductory || isInGracePeriod || subscription.standing(at: now).isInForce {
                used.insert(group)
            }
        }
        groupIDs = used
        // The data of a Google Play purchase does not say whether it began with an offer.
        let unclear = subscriptions.withoutFirstPeriod + subscriptions.filter { $0.play != nil }
        unclearGroupIDs = Set(unclear.compactMap(\.subscriptionGroupID)).subtracting(used)
        isComplete = isDecided && subscriptions.allSatisfy { $0.subscriptionGroupID != nil }
    }
}

extension [Transaction] {
    /// The subscriptions' periods of which the first one is missing, which an introductory offer would have applied to.
    var withoutFirstPeriod: [Transaction] {
        let ids = Set(map { ExactString($0.id) })
        return filter { !ids.contains(ExactString($0.originalID)) }
    }
}

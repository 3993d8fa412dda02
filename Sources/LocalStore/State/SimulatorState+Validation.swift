internal import ReceiptTypes

// The invariants of a state. A file can contain any well-formed state; after this check the engine relies on them.
extension SimulatorState {
    /// The first violated invariant in words; nil for a state that an engine can have produced.
    var inconsistency: String? {
        // Compared as bytes: names that only look the same are different.
        if Set(accounts.map { [UInt8]($0.name.utf8) }).count != accounts.count {
            return "two accounts have the same name"
        }
        var previous = Int64(0)
        for transaction in transactions {
            guard transaction.number > previous else { return "the transactions are not in ascending order" }
            previous = transaction.number
            guard transaction.originalNumber > 0, transaction.originalNumber <= lastNumber else {
                return "transaction \(transaction.number) has an unknown original transaction"
            }
            guard PurchaseOrder.quantities.contains(transaction.quantity) else {
                return "transaction \(transaction.number) has an invalid quantity"
            }
            if let commitment = transaction.commitment, !commitment.isPossible {
                return "transaction \(transaction.number) has an invalid commitment"
            }
            if let offer = transaction.offer, !offer.isPossible {
                return "transaction \(transaction.number) has an invalid offer"
            }
            if let token = transaction.play?.tokenNumber, !(1...transaction.number).contains(token) {
                return "transaction \(transaction.number) has an invalid purchase token"
            }
            if let token = transaction.playReplacement?.tokenNumber, !(1...lastNumber).contains(token) {
                return "transaction \(transaction.number) has an invalid purchase token"
            }
        }
        guard previous <= lastNumber, lastNumber > 0, lastLineItem > 0 else {
            return "the last assigned numbers are invalid"
        }
        return subscriptionInconsistency ?? pendingInconsistency
    }

    private var subscriptionInconsistency: String? {
        var previous = Int64(0)
        for subscription in subscriptions {
            guard subscription.originalNumber > previous else {
                return "the subscriptions are not in ascending order"
            }
            previous = subscription.originalNumber
            guard index(of: subscription.latestNumber) != nil else {
                return "subscription \(subscription.originalNumber) has no transaction"
            }
            guard subscription.upcomingOffers.count <= 8, subscription.anchoredPeriods >= 0,
                subscription.upcomingOffers.allSatisfy({ upcoming in
                    upcoming.offer.isPossible
                        && (1...AppliedOffer.maximumCount).contains(upcoming.remainingTransactions)
                })
            else { return "subscription \(subscription.originalNumber) has an invalid offer" }
            if let commitment = subscription.commitment, !commitment.isPossible {
                return "subscription \(subscription.originalNumber) has an invalid commitment"
            }
            let isComplete =
                switch subscription.standing {
                case .gracePeriod: subscription.gracePeriodEnd != nil && subscription.billingRetryEnd != nil
                case .billingRetry: subscription.billingRetryEnd != nil
                case .active, .expired, .revoked: true
                }
            guard isComplete else {
                return "subscription \(subscription.originalNumber) has no end of its grace period or billing retry"
            }
        }
        return nil
    }

    private var pendingInconsistency: String? {
        var previous = Int64(0)
        for purchase in pending {
            guard purchase.number > previous else { return "the pending purchases are not in ascending order" }
            previous = purchase.number
            guard purchase.number <= lastNumber,
                PurchaseOrder.quantities.contains(purchase.order.quantity)
            else { return "pending purchase \(purchase.number) is invalid" }
        }
        return nil
    }
}

extension AppliedOffer {
    fileprivate var isPossible: Bool { (1...Self.maximumCount).contains(periodCount) }
}

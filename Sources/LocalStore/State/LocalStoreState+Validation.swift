internal import ReceiptTypes

// What a state must be beside well formed, so that the engine needs not ask again. A file can say anything.
extension LocalStoreState {
    /// What is wrong, in words; nil where the state is one that an engine can have made.
    var flaw: String? {
        // By their bytes: texts that only look the same are different names.
        if Set(accounts.map { [UInt8]($0.name.utf8) }).count != accounts.count { return "two accounts bear one name" }
        var previous = Int64(0)
        for transaction in transactions {
            guard transaction.number > previous else { return "transactions are not in order" }
            previous = transaction.number
            guard transaction.originalNumber > 0, transaction.originalNumber <= lastNumber else {
                return "transaction \(transaction.number) belongs to none that was made"
            }
            guard PurchaseOrder.quantities.contains(transaction.quantity) else {
                return "transaction \(transaction.number) has no possible quantity"
            }
            if let offer = transaction.offer, !offer.isPossible { return "an offer is not possible" }
        }
        guard previous <= lastNumber, lastNumber > 0, lastLineItem > 0 else { return "numbers were used twice" }
        return subscriptionFlaw ?? pendingFlaw
    }

    private var subscriptionFlaw: String? {
        var originals: Set<Int64> = []
        for subscription in subscriptions {
            guard originals.insert(subscription.originalNumber).inserted else { return "a subscription is there twice" }
            guard index(of: subscription.latestNumber) != nil else {
                return "subscription \(subscription.originalNumber) has no transaction"
            }
            guard subscription.upcomingOffers.count <= 8, subscription.anchoredPeriods >= 0,
                subscription.upcomingOffers.allSatisfy({ upcoming in
                    upcoming.offer.isPossible
                        && (1...AppliedOffer.maximumCount).contains(upcoming.remainingTransactions)
                })
            else { return "an offer is not possible" }
            let isComplete =
                switch subscription.standing {
                case .gracePeriod: subscription.gracePeriodEnd != nil && subscription.billingRetryEnd != nil
                case .billingRetry: subscription.billingRetryEnd != nil
                case .active, .expired, .revoked: true
                }
            guard isComplete else { return "subscription \(subscription.originalNumber) has no end of its billing" }
        }
        return nil
    }

    private var pendingFlaw: String? {
        var numbers: Set<Int64> = []
        for purchase in pending {
            guard purchase.number <= lastNumber, numbers.insert(purchase.number).inserted,
                PurchaseOrder.quantities.contains(purchase.order.quantity)
            else { return "a purchase that waits is not possible" }
        }
        return nil
    }
}

extension AppliedOffer {
    fileprivate var isPossible: Bool { (1...Self.maximumCount).contains(periodCount) }
}

internal import ReceiptTypes

// What a customer's device would see.
extension LocalStoreEngine {
    /// The transactions that entitle a customer: what was bought for ever, subscriptions that run or have grace, and the
    /// latest of each non-renewing one.
    ///
    /// Somebody who has a product and shares it too has two.
    public func currentEntitlements(of account: String) -> [StoredTransaction] {
        var entitled: [StoredTransaction] = []
        var nonRenewing: [StoredTransaction] = []
        for transaction in state.transactions where transaction.account.isIdentical(to: account) {
            guard !transaction.isRevoked, !transaction.isUpgraded else { continue }
            switch transaction.type {
            case .nonConsumable: entitled.append(transaction)
            case .autoRenewableSubscription:
                guard let index = state.subscriptionIndex(original: transaction.originalNumber),
                    state.subscriptions[index].latestNumber == transaction.number,
                    state.subscriptions[index].isEntitled
                else { continue }
                entitled.append(transaction)
            case .nonRenewingSubscription:
                nonRenewing.removeAll { $0.productID.isIdentical(to: transaction.productID) }
                nonRenewing.append(transaction)
            default: continue
            }
        }
        return (entitled + nonRenewing).sorted { $0.number < $1.number }
    }

    /// What was delivered to a customer, or waits to be, and is not finished.
    public func unfinishedTransactions(of account: String) -> [StoredTransaction] {
        state.transactions.filter { !$0.isFinished && $0.account.isIdentical(to: account) }
    }

    /// Everything that a customer has bought, but for consumables that are finished and were not paid back.
    public func history(of account: String) -> [StoredTransaction] {
        state.transactions.filter {
            $0.account.isIdentical(to: account) && ($0.type != .consumable || !$0.isFinished || $0.isRevoked)
        }
    }

    /// The subscriptions that a customer has or had.
    public func subscriptions(of account: String) -> [StoredSubscription] {
        state.subscriptions.filter { $0.account.isIdentical(to: account) }
    }
}

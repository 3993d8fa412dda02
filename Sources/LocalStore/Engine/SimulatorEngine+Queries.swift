internal import ReceiptTypes

// The lists that StoreKit offers on a customer's device.
extension SimulatorEngine {
    /// Returns the transactions that entitle a customer.
    ///
    /// These are all non-consumables, the latest transaction of each active subscription (grace period included), and
    /// the latest transaction of each non-renewing subscription. A customer with an own and a family-shared transaction
    /// for a product has both.
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

    /// Returns a customer's unfinished transactions.
    public func unfinishedTransactions(of account: String) -> [StoredTransaction] {
        state.transactions.filter { !$0.isFinished && $0.account.isIdentical(to: account) }
    }

    /// Returns all transactions of a customer, except finished consumables that were not refunded.
    public func history(of account: String) -> [StoredTransaction] {
        state.transactions.filter {
            $0.account.isIdentical(to: account) && ($0.type != .consumable || !$0.isFinished || $0.isRevoked)
        }
    }

    /// Returns all subscriptions of a customer, ended ones included.
    public func subscriptions(of account: String) -> [StoredSubscription] {
        state.subscriptions.filter { $0.account.isIdentical(to: account) }
    }
}

public import PurchaseCore
public import ReceiptTypes

extension SimulatorEngine {
    /// Requests a refund for the customer; the store sends a `CONSUMPTION_REQUEST` notification.
    public mutating func requestRefund(
        _ transactionID: String, reason: ConsumptionRequestReason = .other
    ) throws(StoreSimulatorError) {
        let transaction = try refundable(transactionID)
        notify(.consumptionRequest, about: transaction, reason: reason)
    }

    /// Declines a refund request of the customer.
    public mutating func declineRefund(_ transactionID: String) throws(StoreSimulatorError) {
        notify(.refundDeclined, about: try refundable(transactionID))
    }

    /// Refunds a transaction, which is signed again as revoked; a subscription whose current period it is ends.
    ///
    /// A refund of a part revokes the transaction too; only the refunded share in the signed data differs.
    public mutating func refund(
        _ transactionID: String, reason: RevocationReason = .other, share: RefundShare = .whole
    ) throws(StoreSimulatorError) {
        let transaction = try refundable(transactionID)
        revoke(transaction.number, because: reason, percentage: try share.percentage(of: transaction))
        if let index = state.subscriptionIndex(original: transaction.originalNumber),
            state.subscriptions[index].latestNumber == transaction.number
        {
            changeSubscription(index) { $0.end(.revoked, because: nil) }
        }
        if let index = state.index(of: transaction.number) { notify(.refund, about: state.transactions[index]) }
        for share in shares(of: transaction.number) { revokeShare(share, isByRefund: true) }
    }

    /// Reverses a refund, as after a dispute; the transaction is signed again without its revocation.
    public mutating func reverseRefund(_ transactionID: String) throws(StoreSimulatorError) {
        let index = try transactionIndex(transactionID)
        let transaction = state.transactions[index]
        guard transaction.sharedFrom == nil, transaction.isRevoked else {
            throw StoreSimulatorError(.invalidAction, "transaction \(transactionID) was not refunded")
        }
        let now = state.now
        change(index) { $0.revocation = nil }
        if let place = state.subscriptionIndex(original: transaction.originalNumber),
            state.subscriptions[place].latestNumber == transaction.number
        {
            // The subscription lasts until the end of its period; automatic renewal stays off.
            changeSubscription(place) { subscription in
                subscription.standing = subscription.expiresDate > now ? .active : .expired
                subscription.expirationIntent = .customerCancelled
            }
        }
        notify(.refundReversed, about: state.transactions[index])
        restoreShares(of: transaction.number)
    }

    private func refundable(_ transactionID: String) throws(StoreSimulatorError) -> StoredTransaction {
        let transaction = state.transactions[try transactionIndex(transactionID)]
        guard transaction.sharedFrom == nil else {
            throw StoreSimulatorError(
                .invalidAction, "transaction \(transactionID) is family-shared; only the paying member can get a refund"
            )
        }
        guard !transaction.isRevoked else {
            throw StoreSimulatorError(.invalidAction, "transaction \(transactionID) was already refunded")
        }
        return transaction
    }

    mutating func revoke(
        _ number: Int64, because reason: RevocationReason?, percentage: Int32? = nil, isByRefund: Bool = false
    ) {
        guard let index = state.index(of: number) else { return }
        let now = state.now
        change(index) {
            $0.revocation = .init(date: now, reason: reason, percentage: percentage, isByRefund: isByRefund)
        }
    }

    // MARK: Removal

    /// Deletes a transaction without a trace, together with its family-shared copies.
    public mutating func delete(_ transactionID: String) throws(StoreSimulatorError) {
        let transaction = state.transactions[try transactionIndex(transactionID)]
        for number in [transaction.number] + shares(of: transaction.number) {
            guard let index = state.index(of: number) else { continue }
            let removed = state.transactions.remove(at: index)
            emit(.removed(removed))
            repairSubscription(of: removed)
        }
    }

    /// Restores a subscription from its remaining transactions, or removes it where none is left.
    private mutating func repairSubscription(of removed: StoredTransaction) {
        guard let index = state.subscriptionIndex(original: removed.originalNumber) else { return }
        guard let latest = state.transactions.last(where: { $0.originalNumber == removed.originalNumber }) else {
            state.subscriptions.remove(at: index)
            return
        }
        guard state.subscriptions[index].latestNumber == removed.number else { return }
        let now = state.now
        changeSubscription(index) { subscription in
            subscription.latestNumber = latest.number
            subscription.productID = latest.productID
            subscription.renewalProductID = latest.productID
            subscription.expiresDate = latest.expiresDate ?? now
            subscription.gracePeriodEnd = nil
            subscription.billingRetryEnd = nil
            subscription.anchoredPeriods = 0
            subscription.commitment = latest.commitment
            if latest.isRevoked {
                subscription.end(.revoked, because: nil)
            } else if subscription.expiresDate > now {
                subscription.standing = .active
            } else {
                subscription.end(.expired, because: .other)
            }
        }
    }

    /// Deletes all transactions, subscriptions, pending purchases and notifications; accounts, settings and clock stay.
    public mutating func clear() {
        for transaction in state.transactions { emit(.removed(transaction)) }
        state.transactions = []
        state.subscriptions = []
        state.pending = []
        state.notifications = []
    }

    /// Deletes everything that ``clear()`` deletes, and restores the settings of the configuration.
    public mutating func reset() {
        clear()
        state.settings = configuration.settings
    }
}

/// The part of a purchase that a refund returns to the customer.
public enum RefundShare: Sendable, Hashable {
    /// The whole purchase.
    case whole
    /// A number of its items, from 1 to the quantity of the purchase.
    case quantity(Int)
    /// A share of the price in thousandths of a percent, from 1 to 100,000.
    case percentage(Int32)

    /// Returns the share in thousandths of a percent, rounded down; nil for the whole purchase.
    fileprivate func percentage(of transaction: StoredTransaction) throws(StoreSimulatorError) -> Int32? {
        let whole = StoredTransaction.Revocation.wholePercentage
        let share: Int32
        switch self {
        case .whole: return nil
        case .quantity(let count):
            guard (1...max(1, transaction.quantity)).contains(count) else {
                throw StoreSimulatorError(
                    .invalidRefund,
                    "transaction \(transaction.id) has a quantity of \(transaction.quantity), not of \(count)")
            }
            // Cannot overflow: a quantity is at most 10.
            share = Int32(clamping: count) * whole / Int32(clamping: max(1, transaction.quantity))
        case .percentage(let percentage):
            guard (1...whole).contains(percentage) else {
                throw StoreSimulatorError(.invalidRefund, "a refund cannot return more than 100 percent, or nothing")
            }
            share = percentage
        }
        return share == whole ? nil : share
    }
}

public import ReceiptTypes

extension LocalStoreEngine {
    /// Lets the customer ask for a refund: the store asks the app's server how much was used.
    public mutating func requestRefund(
        _ transactionID: String, reason: ConsumptionRequestReason = .other
    ) throws(LocalStoreError) {
        let transaction = try refundable(transactionID)
        notify(.consumptionRequest, about: transaction, reason: reason)
    }

    /// Declines a refund that the customer has asked for.
    public mutating func declineRefund(_ transactionID: String) throws(LocalStoreError) {
        notify(.refundDeclined, about: try refundable(transactionID))
    }

    /// Pays a transaction back: the same transaction is signed anew and says so. A subscription in that period ends.
    public mutating func refund(
        _ transactionID: String, reason: RevocationReason = .other
    ) throws(LocalStoreError) {
        let transaction = try refundable(transactionID)
        revoke(transaction.number, because: reason)
        if let index = state.subscriptionIndex(original: transaction.originalNumber),
            state.subscriptions[index].latestNumber == transaction.number
        {
            changeSubscription(index) { $0.end(.revoked, because: nil) }
        }
        if let index = state.index(of: transaction.number) { notify(.refund, about: state.transactions[index]) }
        for share in shares(of: transaction.number) { revokeShare(share, isByRefund: true) }
    }

    /// Takes a refund back, as after a dispute: the transaction is signed anew and stands again.
    public mutating func reverseRefund(_ transactionID: String) throws(LocalStoreError) {
        let index = try transactionIndex(transactionID)
        let transaction = state.transactions[index]
        guard transaction.sharedFrom == nil, transaction.isRevoked else {
            throw LocalStoreError(.invalidAction, "transaction \(transactionID) was not paid back")
        }
        let now = state.now
        change(index) { $0.revocation = nil }
        if let place = state.subscriptionIndex(original: transaction.originalNumber),
            state.subscriptions[place].latestNumber == transaction.number
        {
            // It stands until its end; renewal stays off.
            changeSubscription(place) { subscription in
                subscription.standing = subscription.expiresDate > now ? .active : .expired
                subscription.expirationIntent = .customerCancelled
            }
        }
        notify(.refundReversed, about: state.transactions[index])
        restoreShares(of: transaction.number)
    }

    private func refundable(_ transactionID: String) throws(LocalStoreError) -> StoredTransaction {
        let transaction = state.transactions[try transactionIndex(transactionID)]
        guard transaction.sharedFrom == nil else {
            throw LocalStoreError(.invalidAction, "transaction \(transactionID) was paid by a family member")
        }
        guard !transaction.isRevoked else {
            throw LocalStoreError(.invalidAction, "transaction \(transactionID) was paid back already")
        }
        return transaction
    }

    mutating func revoke(_ number: Int64, because reason: RevocationReason?, isByRefund: Bool = false) {
        guard let index = state.index(of: number) else { return }
        let now = state.now
        change(index) { $0.revocation = .init(date: now, reason: reason, isByRefund: isByRefund) }
    }

    // MARK: Removal

    /// Removes a transaction as if it had never been, with what a family shares of it.
    public mutating func delete(_ transactionID: String) throws(LocalStoreError) {
        let transaction = state.transactions[try transactionIndex(transactionID)]
        for number in [transaction.number] + shares(of: transaction.number) {
            guard let index = state.index(of: number) else { continue }
            let removed = state.transactions.remove(at: index)
            note(.removed(removed))
            repairSubscription(of: removed)
        }
    }

    /// Lets a subscription stand by the transactions that are left; without any it goes.
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
            if latest.isRevoked {
                subscription.end(.revoked, because: nil)
            } else if subscription.expiresDate > now {
                subscription.standing = .active
            } else {
                subscription.end(.expired, because: .other)
            }
        }
    }

    /// Removes everything that was bought, and everything that waits. Customers, settings and the clock stay.
    public mutating func clear() {
        for transaction in state.transactions { note(.removed(transaction)) }
        state.transactions = []
        state.subscriptions = []
        state.pending = []
        state.notifications = []
    }

    /// Removes everything as ``clear()`` does, and lets the store behave as its configuration says.
    public mutating func reset() {
        clear()
        state.settings = configuration.settings
    }
}

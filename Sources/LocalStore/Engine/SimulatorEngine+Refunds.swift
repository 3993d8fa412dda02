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
    public mutating func refund(
        _ transactionID: String, reason: RevocationReason = .other
    ) throws(StoreSimulatorError) {
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

    mutating func revoke(_ number: Int64, because reason: RevocationReason?, isByRefund: Bool = false) {
        guard let index = state.index(of: number) else { return }
        let now = state.now
        change(index) { $0.revocation = .init(date: now, reason: reason, isByRefund: isByRefund) }
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

internal import ReceiptTypes

// Which recorded transaction a pending purchase has waited for.
extension LedgerMemory {
    /// Notes that a purchase is pending from now on.
    ///
    /// - Parameter token: The token of the pending purchase in Google Play, which reports it as long as it is pending.
    mutating func recordPending(
        _ productID: String, of account: UUIDText?, token: String?, byClock now: Timestamp
    ) {
        endSale(of: productID, account)
        removePending(productID, of: account)
        pending.append(
            PendingPurchase(
                productID: productID, since: clock.time(byClock: now, isStoreReachable: true), account: account,
                purchaseToken: token))
    }

    mutating func removePending(_ productID: String, of account: UUIDText?) {
        pending.removeAll { $0.productID.isIdentical(to: productID) && $0.account == account }
    }

    /// Removes the pending purchases of an owner that a recorded transaction completes; of all without an owner.
    mutating func removePending(
        completedBy transaction: Transaction, from source: DeliverySource, of owner: UUIDText?, at now: Timestamp
    ) {
        pending.removeAll { pending in
            let isOwners = owner == nil || pending.account == nil || pending.account == owner
            return isOwners && transaction.completes(pending.notLater(than: now), from: source)
        }
    }
}

extension Transaction {
    /// Whether the transaction is a renewal, as far as is known.
    var isOfLaterPeriod: Bool { isRenewal ?? (kind == .autoRenewable && !id.isIdentical(to: originalID)) }

    /// Returns whether a recorded transaction can be the one that a pending purchase waited for.
    ///
    /// A store that has named the pending purchase completes it under the same id. Otherwise the answer to another
    /// purchase of a consumable is not the one: an approval arrives later, and on its own. Nor is a consumable or a
    /// subscription that was certainly bought before; the device's clock, by which the wait began, can differ from the
    /// store's. With any purchase of a non-consumable, nothing is left to wait for.
    func completes(_ pending: PendingPurchase, from source: DeliverySource) -> Bool {
        if let token = pending.purchaseToken { return id.isIdentical(to: token) }
        guard pending.productID.isIdentical(to: productID), kind != .consumable || source != .purchase else {
            return false
        }
        return kind == .nonConsumable && ownership == .purchased && !isRevoked
            || purchaseDate.adding(milliseconds: ClockMarks.toleranceMilliseconds) >= pending.since
    }
}

extension PendingPurchase {
    /// Returns the pending purchase as if it had been noted at an instant, if that is earlier.
    func notLater(than now: Timestamp) -> PendingPurchase {
        PendingPurchase(
            productID: productID, since: min(since, now), account: account, purchaseToken: purchaseToken)
    }
}

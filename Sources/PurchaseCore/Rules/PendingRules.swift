internal import ReceiptTypes

// Which purchases await an approval, and which transaction completes one.
extension PendingPurchase {
    /// The milliseconds after which a pending purchase counts as declined: one day.
    static let approvalMilliseconds: Int64 = 86_400_000

    /// The instant at which the purchase counts as declined.
    var end: Timestamp { since.adding(milliseconds: Self.approvalMilliseconds) }

    /// Returns the pending purchase as if it had been noted at an instant, if that is earlier.
    func notLater(than now: Timestamp) -> PendingPurchase {
        PendingPurchase(
            productID: productID, since: min(since, now), account: account, purchaseToken: purchaseToken)
    }
}

extension LedgerMemory {
    /// Notes that a purchase is pending from now on.
    ///
    /// - Parameter token: The token of the pending purchase in Google Play, which reports it as long as it is pending.
    mutating func recordPending(
        _ productID: String, of account: UUIDText?, token: String?, byClock now: Timestamp
    ) {
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

    /// Returns the accounts that await an approval which a transaction without an account can be.
    ///
    /// The App Store signs every account that is a UUID, so only the others can be meant. A store never reports that a
    /// purchase was declined, and so one that was made after ``PendingPurchase/end`` is another one.
    func accountsAwaiting(
        _ transaction: Transaction, from source: DeliverySource, at now: Timestamp
    ) -> [UUIDText] {
        guard transaction.play == nil, transaction.ownership == .purchased, !transaction.isOfLaterPeriod else {
            return []
        }
        // A list also has what was bought before, on another device.
        let tolerance = source.awaitsFinish ? ClockMarks.toleranceMilliseconds : 0
        return pending.map { $0.notLater(than: now) }.filter { pending in
            transaction.completes(pending, from: source)
                && transaction.purchaseDate.adding(milliseconds: tolerance) >= pending.since
                && transaction.purchaseDate < pending.end
        }.compactMap(\.account).filter { !$0.isUUID }
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

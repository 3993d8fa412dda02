internal import ReceiptTypes

// A store signs only the account that the app has named, and the App Store only one that is a UUID. For whom any other
// purchase is, only the service and its journal know.
extension PurchaseService {
    /// Returns the account that a verified transaction is for; nil if the app has no accounts, or none is known.
    ///
    /// The account that the store has signed counts first, then that of the recorded purchase, which never changes.
    /// Only what is not recorded can be a sale that the store was asked for, or the purchase that a user waits for.
    ///
    /// - Parameter buyer: The user that made the purchase, as for ``ingest(_:from:by:in:)``.
    func owner(
        of transaction: Transaction, from source: DeliverySource, by buyer: AppUser?
    ) async throws(JournalError) -> UUIDText? {
        if let account = transaction.appAccountToken { return account }
        guard user != .noAccounts else { return nil }
        // Before the journal is read: what notes a sale is deleted when the sale is recorded.
        let (present, sale) = (user, userAsking(for: transaction, from: source))
        let recorded = try await journal.recordedEntries(of: transaction.purchaseKey)
        if let owner = recorded.lazy.compactMap(\.account).first { return owner }
        if let sale { return sale.account }
        if let account = buyer?.account { return account }
        return try await accountAwaiting(transaction, from: source, of: present) ?? (buyer ?? present).account
    }

    /// Returns the user that has asked the store for a transaction that is not recorded yet; nil if none has.
    private func userAsking(for transaction: Transaction, from source: DeliverySource) -> AppUser? {
        // The journal does not know the buyer of a purchase that it could not record yet, but its retry does.
        let waiting = retries.values.first {
            $0.buyer?.account != nil && $0.delivery.transactionID.isIdentical(to: transaction.id)
        }
        return waiting?.buyer ?? answeredSales[ExactString(transaction.id)]?.user
            ?? userWaiting(for: transaction, from: source)
    }

    /// Returns the user that has asked the store for a transaction and has no answer yet; the present one if there are
    /// two.
    private func userWaiting(for transaction: Transaction, from source: DeliverySource) -> AppUser? {
        let awaited = slots.values.map(\.request).filter { $0.canHaveSold(transaction, from: source) }
        let late = openSales.values.filter { $0.canHaveSoldLate(transaction, from: source) }
        let buyers = (awaited + late).map(\.user)
        return buyers.contains(user) ? user : buyers.first
    }

    /// Returns the account whose pending purchase a transaction without an account completes; the user's if there are
    /// two.
    ///
    /// The App Store signs every account that is a UUID, so only the others can be meant. A store never reports that a
    /// purchase was declined, and so one that was made after ``approvalTimeout`` is another one.
    private func accountAwaiting(
        _ transaction: Transaction, from source: DeliverySource, of user: AppUser
    ) async throws(JournalError) -> UUIDText? {
        guard case .signedIn(let account) = user, transaction.play == nil, transaction.ownership == .purchased,
            !transaction.isOfLaterPeriod
        else { return nil }
        let now = clock()
        let accounts = try await journal.memory().pending.map { $0.notLater(than: now) }.filter { pending in
            transaction.completes(pending, from: source)
                && transaction.purchaseDate.adding(milliseconds: ClockMarks.toleranceMilliseconds) >= pending.since
                && transaction.purchaseDate < pending.since.adding(milliseconds: Self.approvalTimeoutMilliseconds)
        }.compactMap(\.account).filter { !$0.isUUID }
        return accounts.contains(account) ? account : accounts.first
    }

    /// Forgets the sale that a recorded transaction was awaited for after the deadline.
    func endLateSale(of transaction: Transaction, from source: DeliverySource, to owner: UUIDText?) {
        let sale = openSales.values.first {
            $0.user.account == owner && $0.canHaveSoldLate(transaction, from: source)
        }
        if let sale { openSales[sale.number] = nil }
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

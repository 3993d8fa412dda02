internal import ReceiptTypes

// A store signs only the account that the app has named, and the App Store only one that is a UUID. For whom any other
// purchase is, only the service and its ledger know.
extension PurchaseService {
    /// Returns the account that a verified transaction is for; nil if the app has no accounts, or none is known.
    ///
    /// The account that the store has signed counts first, then that of the recorded purchase, which never changes.
    /// Only what is not recorded can be a sale that the store was asked for, or the purchase that a user waits for.
    ///
    /// - Parameter buyer: The user that made the purchase, as for ``ingest(_:from:by:in:)``.
    func owner(
        of transaction: Transaction, from source: DeliverySource, by buyer: AppUser?
    ) async throws(LedgerError) -> UUIDText? {
        if let account = transaction.appAccountToken { return account }
        guard user != .noAccounts else { return nil }
        // What notes a sale is deleted when the sale is recorded, so it is read before the ledger; an answer can also
        // arrive while the ledger is read.
        let (present, asking) = (user, userAsking(for: transaction))
        let awaited = sales.awaitedSale(of: transaction, from: source, for: user)
        if let owner = try await owner(ofRecorded: transaction) { return owner }
        if let asking = asking ?? userAsking(for: transaction) { return asking.account }
        if let sale = awaited ?? sales.lateSale(of: transaction, from: source, for: user) {
            sales.take(transaction, for: sale)
            return sale.user.account
        }
        if let account = buyer?.account { return account }
        return try await accountAwaiting(transaction, from: source, of: present) ?? (buyer ?? present).account
    }

    /// Returns the account that a purchase is recorded for; nil if there is none.
    func owner(ofRecorded transaction: Transaction) async throws(LedgerError) -> UUIDText? {
        try await ledger.recordedEntries(of: transaction.purchaseKey).lazy.compactMap(\.account).first
    }

    /// Returns the user to whom the store has answered with a transaction that is not recorded yet; nil if there is
    /// none.
    private func userAsking(for transaction: Transaction) -> AppUser? {
        // The ledger does not know the buyer of a purchase that it could not record yet, but its retry does.
        handOvers.buyer(ofTransaction: transaction.id) ?? sales.buyer(ofTransaction: transaction.id)
    }

    /// Returns the account whose pending purchase a transaction without an account completes; the user's if there are
    /// two.
    ///
    /// The App Store signs every account that is a UUID, so only the others can be meant. A store never reports that a
    /// purchase was declined, and so one that was made after ``approvalTimeoutMilliseconds`` is another one.
    private func accountAwaiting(
        _ transaction: Transaction, from source: DeliverySource, of user: AppUser
    ) async throws(LedgerError) -> UUIDText? {
        guard case .signedIn(let account) = user, transaction.play == nil, transaction.ownership == .purchased,
            !transaction.isOfLaterPeriod
        else { return nil }
        let now = environment.clock()
        // A list also has what was bought before, on another device.
        let tolerance = source.awaitsFinish ? ClockMarks.toleranceMilliseconds : 0
        let accounts = try await ledger.memory().pending.map { $0.notLater(than: now) }.filter { pending in
            transaction.completes(pending, from: source)
                && transaction.purchaseDate.adding(milliseconds: tolerance) >= pending.since
                && transaction.purchaseDate < pending.since.adding(milliseconds: Self.approvalTimeoutMilliseconds)
        }.compactMap(\.account).filter { !$0.isUUID }
        return accounts.contains(account) ? account : accounts.first
    }
}

extension LedgerMemory {
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

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
    private func accountAwaiting(
        _ transaction: Transaction, from source: DeliverySource, of user: AppUser
    ) async throws(LedgerError) -> UUIDText? {
        guard case .signedIn(let account) = user else { return nil }
        let now = environment.clock()
        let accounts = try await ledger.memory().accountsAwaiting(transaction, from: source, at: now)
        return accounts.contains(account) ? account : accounts.first
    }
}

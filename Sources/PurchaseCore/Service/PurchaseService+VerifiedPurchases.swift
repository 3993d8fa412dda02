public import ReceiptTypes

extension PurchaseService {
    /// Returns the recorded transactions of an account, each with its signed content, verified again.
    ///
    /// The store is not asked. Purchases that only an app receipt has are left out: they have no signed content of
    /// their own. A purchase that belongs to no account is not returned for one: it passes to an account
    /// when the store lists it for that account. Of a Google Play subscription whose plan has changed, the version with
    /// the former product is not returned.
    ///
    /// - Parameter account: The account; nil for an app without accounts, or while none is signed in.
    /// - Returns: nil while another account is signed in.
    public func verifiedPurchases(of account: UUIDText?) async throws(LedgerError) -> VerifiedPurchases? {
        let user = user
        let account = account?.lowercased
        guard user == .noAccounts || user.account == account else { return nil }
        let deliveries = try await ledger.entries().filter { entry in
            entry.stage >= .recorded && !entry.transaction.isAppReceipt
                && Self.isEntry(of: entry.account, returnedFor: account, user)
        }.map(\.transaction)
        var purchases: [VerifiedPurchase] = []
        var unverified: [UnverifiedPurchase] = []
        for (delivery, result) in zip(deliveries, await verifyAll(deliveries)) {
            switch result {
            case .verified(let transaction): purchases.append(VerifiedPurchase(transaction, delivery.content))
            case .unverified(let failure): unverified.append(UnverifiedPurchase(delivery, failure))
            }
        }
        let listings = try await ledger.memory().playListings
        return VerifiedPurchases(
            purchases.withoutFormerProducts(listings, \.transaction), unverified: unverified)
    }

    /// Returns whether an owner's entry is returned for an account.
    ///
    /// A service without accounts may have records that are kept for one: they get what belongs to it, and what is
    /// unowned.
    private static func isEntry(of owner: UUIDText?, returnedFor account: UUIDText?, _ user: AppUser) -> Bool {
        owner == account || user == .noAccounts && (owner == nil || account == nil)
    }
}

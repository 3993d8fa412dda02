internal import ReceiptTypes

extension PurchaseService {
    /// Brings the recorded purchases of a user up to date with what the verifier says now, without asking the store.
    ///
    /// Deliveries change their purchases when they are recorded. What this adds are the purchases whose rows were lost,
    /// and the verdicts that have changed since: a purchase that is rejected for good is marked as unverified. Call it
    /// at launch and after a recovery of the ledger.
    ///
    /// - Returns: The deliveries that the verifier has not decided about; nil if another user is signed in.
    public func reviewPurchases(of user: AppUser) async throws(LedgerError) -> [UnverifiedPurchase]? {
        guard self.user == .noAccounts || self.user == user.normalized else { return nil }
        let deliveries = try await ledger.entries().filter { entry in
            entry.stage >= .recorded && !entry.transaction.isAppReceipt
                && (user == .noAccounts || entry.account == user.account?.lowercased)
        }.map(\.transaction)
        var verified: [VerifiedPurchase] = []
        var unverified: [UnverifiedPurchase] = []
        for (delivery, result) in zip(deliveries, await verifyAll(deliveries)) {
            switch result {
            case .verified(let transaction): verified.append(VerifiedPurchase(transaction, delivery.content))
            case .unverified(let failure): unverified.append(UnverifiedPurchase(delivery, failure))
            }
        }
        let versions = verified.withoutFormerProducts(try await ledger.memory().playListings, \.transaction)
        let now = environment.clock()
        try await ledger.transact(.reviewPurchases) { [unverified] (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.review(versions, unverified, of: user, at: now)
        }
        return unverified.filter { $0.failure.isRetryable && $0.failure.mayCountLater }
    }
}

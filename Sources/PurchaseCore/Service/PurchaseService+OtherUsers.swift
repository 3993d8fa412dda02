internal import ReceiptTypes

// Several users of an app can share one account of the store, and the store knows only that account: it sells an
// upgrade of another user's subscription without a word.
extension PurchaseService {
    /// Returns the reason that a product cannot be bought because of what another user of the app owns; nil if there is
    /// none.
    ///
    /// The ledger knows what other users have bought, and the store's list says whether this account of the store is
    /// the one that they have used.
    func objectionOfOwner(of productID: String, to user: AppUser) async throws(LedgerError) -> PurchaseFlowError? {
        guard user.account != nil else { return nil }
        let others = try await otherTransactions().filter { $0.ownership == .purchased && !$0.isRevoked }
        var candidates = others.filter { $0.kind == .nonConsumable && $0.includes(productID) }
        let subscriptions = others.filter { $0.kind == .autoRenewable && !$0.isUpgraded }
        do throws(StoreError) {
            if !subscriptions.isEmpty, let group = try await subscriptionGroup(of: productID, known: others) {
                candidates += subscriptions.filter { $0.subscriptionGroupID?.isIdentical(to: group) ?? false }
            }
            guard !candidates.isEmpty else { return nil }
            let question = questions.last
            let listed = try await store.currentEntitlements()
            for outcome in await ingestAll(listed, from: .entitlement, in: question) {
                guard case .conflict(let transaction, .belongsToAnotherAccount) = outcome,
                    candidates.contains(where: { $0.originalID.isIdentical(to: transaction.originalID) })
                else { continue }
                return PurchaseFlowError(
                    .ownedByAnotherUser, "\(transaction.productID) was bought for another user of the app")
            }
            return nil
        } catch {
            logEvent(.storeFailed, productID, error: error)
            return .storeKitError(error)
        }
    }

    /// Returns the subscription group of a product; nil if it is not a subscription.
    private func subscriptionGroup(
        of productID: String, known transactions: [Transaction]
    ) async throws(StoreError) -> String? {
        if let known = transactions.first(where: { $0.includes(productID) }) {
            return known.subscriptionGroupID
        }
        return try await store.products(for: [productID]).first { $0.id.isIdentical(to: productID) }?.subscription?
            .groupID
    }
}

public import ReceiptTypes

extension PurchaseService {
    /// Changes the app's user. Purchases from here on are for this account, and only its purchases are returned.
    ///
    /// A purchase that the former user has begun is not granted to the new one: it stays unfinished until the former
    /// user signs in again. The unfinished purchases of the new user are resumed in the background; a started
    /// ``EntitlementStore`` shows them as soon as they are recorded. It still has the former user's entitlements, so
    /// call this in ``EntitlementStore/changeUser(_:)``:
    ///
    /// ```swift
    /// await entitlementStore.changeUser { await service.signIn(account) }
    /// ```
    public func signIn(_ account: UUIDText) {
        setUser(.signedIn(account))
        // Not awaited, because the store can take its time, and the fulfiller may be the caller.
        startDelivery { await self.resumeUnfinishedPurchases() }
    }

    /// Ends the session of the app's user. Nothing that belongs to an account is returned, granted or bought until
    /// ``signIn(_:)`` is called.
    ///
    /// Purchases that belong to no account, from before the app had accounts, stay visible; consumables among them are
    /// visible only now.
    ///
    /// Until then, the ledger receives no delivery that names an account, because the account may have been erased,
    /// and none from the store's lists of current entitlements and of the history, because an erased account can have
    /// owned it without being named. They are kept in memory: they count as purchases of other users, and the account
    /// that they name gets them when it signs in. The store delivers all of them again. A transaction that names no
    /// account and waits to be finished is written, and recorded for the next account that signs in.
    public func signOut() { setUser(.signedOut) }

    private func setUser(_ newUser: AppUser) {
        user = newUser.normalized
        userChanges += 1
        handle(.userChanged(user))
        announcements.changeUser()
        Self.check(user, environment.log)
    }

    /// Logs an account that the App Store ignores.
    static func check(_ user: AppUser, _ log: any PurchaseLog) {
        guard let account = user.account, !account.isUUID else { return }
        log.log(
            PurchaseLogEvent(
                .unusableAccount,
                detail: "the account is not a UUID, so the App Store does not sign it into purchases"))
    }

    // MARK: The account of a purchase

    // A store signs only the account that the app has named, and the App Store only one that is a UUID. Only the
    // service and its ledger know for whom any other purchase is.

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

    // MARK: Purchases of other users

    // Several users of an app can share one account of the store, and the store knows only that account: it sells an
    // upgrade of another user's subscription without a word.

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

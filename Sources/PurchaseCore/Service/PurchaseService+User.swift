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
    /// Until then, the ledger receives no delivery that names an account, because the account can have been erased,
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
}

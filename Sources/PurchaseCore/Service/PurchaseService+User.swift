public import ReceiptTypes

/// The user of the app itself, not of the store.
enum AppUser: Sendable, Hashable {
    /// The app has no accounts: the owner of a purchase is not checked.
    case noAccounts
    /// The app has accounts, and none is signed in.
    case signedOut
    /// An account is signed in.
    case signedIn(UUIDText)

    /// The account that is signed in.
    var account: UUIDText? {
        if case .signedIn(let account) = self { account } else { nil }
    }

    /// Returns whether the user may see what belongs to an account; what belongs to none is everybody's.
    func maySee(_ owner: UUIDText?) -> Bool { self == .noAccounts || owner == nil || owner == account }

    /// Returns whether a transaction of this owner may be recorded for the user.
    func mayOwn(_ owner: UUIDText?) -> Bool {
        switch self {
        case .noAccounts: true
        // There is no account to record it for; it stays unfinished until one signs in.
        case .signedOut: false
        case .signedIn(let account): owner == account
        }
    }
}

/// A delivery that arrived while its owner was not signed in.
struct OwnedDelivery: Sendable {
    let delivery: SignedTransaction
    let source: DeliverySource
    let owner: UUIDText
}

extension PurchaseService {
    /// Changes the app's user. Purchases from here on are for this account, and only its purchases are returned.
    ///
    /// A purchase that the former user has begun is not granted to the new one: it stays unfinished until the former user
    /// signs in again, and is then processed, in this run or after the next launch. An ``EntitlementStore`` still has the former user's entitlements, so call this in
    /// ``EntitlementStore/changeUser(_:)``:
    ///
    /// ```swift
    /// await entitlementStore.changeUser { await service.signIn(account) }
    /// ```
    public func signIn(_ account: UUIDText) {
        let account = account.lowercased
        user = .signedIn(account)
        for (id, owned) in awaitingOwner where owned.owner == account {
            awaitingOwner[id] = nil
            startDelivery {
                let outcome = await self.ingest(owned.delivery, from: owned.source)
                await self.notifyHandlers(of: outcome)
            }
        }
    }

    /// Ends the session of the app's user. Nothing that belongs to an account is returned, granted or bought until
    /// ``signIn(_:)`` is called.
    ///
    /// Purchases that belong to no account, from before the app had accounts, stay visible.
    public func signOut() { user = .signedOut }
}

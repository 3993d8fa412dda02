public import ReceiptTypes

/// The user of the app itself, not of the store.
public enum AppUser: Sendable, Hashable {
    /// The app has no accounts: the owner of a purchase is not checked, and every purchase in the ledger is the
    /// customer's.
    case noAccounts
    /// The app has accounts, and none is signed in: only purchases that belong to no account are returned.
    case signedOut
    /// An account is signed in: only its purchases, and those that belong to no account, are returned.
    ///
    /// A consumable that belongs to no account is not, because each account would have its items. It passes to the
    /// account that restores it, if the store still lists it.
    ///
    /// The App Store signs only a UUID into a purchase; see ``PurchaseLogEvent/Kind/unusableAccount``.
    case signedIn(UUIDText)

    /// The account that is signed in; nil if none is.
    public var account: UUIDText? {
        if case .signedIn(let account) = self { account } else { nil }
    }

    /// The user with the account in lower case, in which accounts are compared.
    var normalized: AppUser {
        if case .signedIn(let account) = self { .signedIn(account.lowercased) } else { self }
    }

    /// Returns whether the user may see what belongs to an account; what belongs to none is everybody's.
    func maySee(_ owner: UUIDText?) -> Bool { self == .noAccounts || owner == nil || owner == account }

    /// Returns whether a recorded purchase is the user's own: one of the account, one of no account while none is
    /// signed in, and any in an app without accounts.
    public func owns(_ purchase: Purchase) -> Bool { self == .noAccounts || purchase.user == account?.lowercased }

    /// Returns whether a recorded purchase of an owner counts for the user.
    ///
    /// The items of a consumable count once: an account has only its own.
    func maySee(_ transaction: Transaction, of owner: UUIDText?) -> Bool {
        maySee(owner) && (transaction.kind != .consumable || account == nil || owner != nil)
    }

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

public import ReceiptTypes

/// The current state of a purchase with the signing date of the version that it was read from.
///
/// It has the rule by which versions of a purchase are merged, so that every implementation of ``PurchaseRecords``
/// merges them in the same way.
public struct RecordedPurchase: Sendable, Hashable {
    /// The current state.
    public var purchase: Purchase
    /// The date on which the store signed the version.
    public let signedDate: Timestamp

    /// Creates the state of a purchase that is recorded for the first time.
    public init(_ verified: VerifiedPurchase, user: UUIDText?) {
        self.init(Purchase(verified, user: user), signedDate: verified.transaction.signedDate)
    }

    /// Creates a state from stored values.
    public init(_ purchase: Purchase, signedDate: Timestamp) {
        self.purchase = purchase
        self.signedDate = signedDate
    }

    /// Returns the state after another version was recorded, in any order of the versions.
    ///
    /// The later version decides, and the features are those of the newest catalog. What the server has acknowledged
    /// stays acknowledged until the facts of the purchase change.
    public func merged(with version: RecordedPurchase) -> RecordedPurchase {
        var merged = isReplaced(by: version) ? version : self
        merged.purchase.synchronization =
            merged.purchase.hasFacts(of: purchase) ? purchase.synchronization : .unsynced
        merged.purchase.listedFeatures = version.purchase.listedFeatures
        return merged
    }

    /// Returns whether another version is as late as this one or later.
    ///
    /// All versions of a Google Play purchase have one date; a revoked version then replaces one that is not.
    public func isReplaced(by version: RecordedPurchase) -> Bool {
        if signedDate != version.signedDate { return signedDate < version.signedDate }
        let (old, new) = (purchase, version.purchase)
        if old.isRevoked != new.isRevoked { return new.isRevoked }
        if old.revocationDate != new.revocationDate {
            return (new.revocationDate ?? .maximum) < (old.revocationDate ?? .maximum)
        }
        if old.remainingQuantity != new.remainingQuantity { return new.remainingQuantity < old.remainingQuantity }
        if old.purchasedAt != new.purchasedAt { return new.purchasedAt < old.purchasedAt }
        return new.quantity <= old.quantity
    }

    /// Returns the reason that a version does not belong to this purchase; nil if it does.
    ///
    /// In Google Play the token alone identifies a purchase: a subscription has another product after a planned change.
    public func conflict(with version: RecordedPurchase) -> RecordConflict? {
        if purchase.id.origin == .googlePlay { return nil }
        return purchase.productID.isIdentical(to: version.purchase.productID) ? nil : .differentPurchase
    }
}

extension Purchase {
    /// Returns whether two states have the same facts: all but what the app itself adds to them.
    fileprivate func hasFacts(of other: Purchase) -> Bool {
        var compared = self
        compared.verification = other.verification
        compared.synchronization = other.synchronization
        compared.listedFeatures = other.listedFeatures
        return compared == other
    }
}

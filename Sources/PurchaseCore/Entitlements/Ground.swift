public import ReceiptTypes

/// A purchase that grants an entitlement.
///
/// An entitlement can have several grounds. A customer with a purchase of their own and a family-shared one keeps the
/// entitlement when one of the two is revoked.
public struct Ground: Sendable, Hashable {
    /// The kind of a ground, the strongest first.
    public enum Kind: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// A non-consumable that the customer bought, or owns because of the purchase of the app.
        case lifetime
        /// A family-shared non-consumable.
        case familyLifetime
        /// A subscription within a paid period.
        case subscription
        /// A non-renewing subscription before its end.
        case nonRenewing
        /// A subscription in the store's billing grace period.
        case gracePeriod
        /// A subscription that was set to renew and ended while the store could not be reached.
        case offlineGrace

        /// Returns whether the first kind is stronger.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The kind of the ground.
    public let kind: Kind
    /// The id of the purchased product.
    public let productID: String
    /// The id of the transaction.
    public let transactionID: String
    /// The last instant at which the ground is in force; nil if it does not end.
    public let end: Timestamp?
    /// Whether the store confirms the purchase; false if it did not list it when it last answered.
    ///
    /// If the store still does not list the purchase a day later or after a restore, the ground ends.
    public let isConfirmed: Bool

    /// Creates a ground.
    public init(kind: Kind, productID: String, transactionID: String, end: Timestamp?, isConfirmed: Bool = true) {
        self.kind = kind
        self.productID = productID
        self.transactionID = transactionID
        self.end = end
        self.isConfirmed = isConfirmed
    }

    /// Returns whether the ground is in force at an instant; the end is included.
    public func isInForce(at now: Timestamp) -> Bool { end.map { now <= $0 } ?? true }
}

extension Ground: Comparable {
    /// Returns whether the first ground is stronger, ends later, or is confirmed; ids break ties.
    public static func < (left: Self, right: Self) -> Bool {
        if left.kind != right.kind { return left.kind < right.kind }
        if left.end != right.end { return (left.end ?? .maximum) > (right.end ?? .maximum) }
        if left.isConfirmed != right.isConfirmed { return left.isConfirmed }
        if left.productID != right.productID { return left.productID.precedes(right.productID) }
        return left.transactionID.precedes(right.transactionID)
    }
}

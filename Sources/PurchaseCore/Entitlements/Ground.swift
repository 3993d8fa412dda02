public import ReceiptTypes

/// Why a customer has an entitlement: one purchase that gives it.
///
/// Grounds are a set. Somebody who owns a product and also shares their family's keeps it when one of the two goes.
public struct Ground: Sendable, Hashable {
    /// The kinds of grounds, the strongest first.
    public enum Kind: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// A one-time purchase of the customer's own.
        case lifetime
        /// A one-time purchase that the family shares.
        case familyLifetime
        /// A subscription within a period that is paid for.
        case subscription
        /// A non-renewing subscription that lasts.
        case nonRenewing
        /// A subscription whose payment failed, in the grace period that the store has granted.
        case gracePeriod
        /// A subscription that should have renewed while the store could not be reached.
        case offlineGrace

        /// Whether the first kind is the stronger one.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The kind.
    public let kind: Kind
    /// The product that was bought.
    public let productID: String
    /// The transaction that counts.
    public let transactionID: String
    /// The last instant at which it counts; nil for ever.
    public let end: Timestamp?

    /// Describes a ground.
    public init(kind: Kind, productID: String, transactionID: String, end: Timestamp?) {
        self.kind = kind
        self.productID = productID
        self.transactionID = transactionID
        self.end = end
    }

    /// Whether it counts at an instant; the last one is included.
    public func holds(at now: Timestamp) -> Bool { end.map { now <= $0 } ?? true }
}

extension Ground: Comparable {
    /// Whether the first ground is the better one: stronger, then longer, then by ids so that any two have an order.
    public static func < (left: Self, right: Self) -> Bool {
        if left.kind != right.kind { return left.kind < right.kind }
        if left.end != right.end { return (left.end ?? .maximum) > (right.end ?? .maximum) }
        if left.productID != right.productID { return left.productID.precedes(right.productID) }
        return left.transactionID.precedes(right.transactionID)
    }
}

public import ReceiptTypes

/// A change of a recorded purchase, in the order in which the changes were made.
public struct PurchaseEvent: Sendable, Hashable, Identifiable {
    /// The kind of an event; later versions can add kinds.
    public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case.
        public let rawValue: String

        /// Creates a kind of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }
    }

    /// A number that increases from event to event and is never used again.
    public let id: Int64
    /// The kind of the event.
    public let kind: Kind
    /// The time of the change by the device's clock.
    public let occurredAt: Timestamp
    /// The purchase after the change; nil if it was deleted, which leaves no trace of it.
    public let purchase: Purchase?

    /// Creates an event.
    public init(id: Int64, kind: Kind, occurredAt: Timestamp, purchase: Purchase?) {
        self.id = id
        self.kind = kind
        self.occurredAt = occurredAt
        self.purchase = purchase
    }
}

extension PurchaseEvent.Kind {
    /// `PurchaseCompleted`: the purchase was recorded for the first time.
    public static let completed = Self(rawValue: "purchase-completed")
    /// `PurchaseVerified`: the signature was verified, for the first time or again after a failure.
    public static let verified = Self(rawValue: "purchase-verified")
    /// The verification of a purchase that was verified has failed.
    public static let invalidated = Self(rawValue: "purchase-invalidated")
    /// `PurchaseSynced`: the app's own server has acknowledged the purchase.
    public static let synced = Self(rawValue: "purchase-synced")
    /// The purchase has to be sent to the app's own server again.
    public static let unsynced = Self(rawValue: "purchase-unsynced")
    /// The purchase was refunded, cancelled, or removed from family sharing.
    public static let revoked = Self(rawValue: "purchase-revoked")
    /// The store has taken a revocation back.
    public static let reinstated = Self(rawValue: "purchase-reinstated")
    /// The purchase was deleted.
    public static let deleted = Self(rawValue: "purchase-deleted")

    /// Returns the events between two states of a purchase; the first state is nil for a purchase that is new.
    public static func changes(from old: Purchase?, to new: Purchase) -> [Self] {
        var kinds: [Self] = []
        if old == nil { kinds.append(.completed) }
        if (old?.isVerified ?? false) != new.isVerified { kinds.append(new.isVerified ? .verified : .invalidated) }
        if (old?.synchronization ?? .unsynced) != new.synchronization {
            kinds.append(new.isSynced ? .synced : .unsynced)
        }
        if (old?.isRevoked ?? false) != new.isRevoked { kinds.append(new.isRevoked ? .revoked : .reinstated) }
        return kinds
    }
}

public import PurchaseCore
public import ReceiptTypes

/// The purchases of a customer in sections, the latest purchase of each first.
public struct PurchaseHistory: Sendable, Hashable {
    /// The kind of a section, in the order in which a screen shows them.
    public enum SectionKind: String, Sendable, Hashable, CaseIterable {
        /// The customer's own purchases in force.
        case active
        /// Purchases in force that a family member shares.
        case family
        /// Purchases that are over, consumables, and those that unlock nothing.
        case inactive
        /// Purchases that the store has refunded or cancelled.
        case refunded
    }

    /// Purchases under one title.
    public struct Section: Sendable, Hashable, Identifiable {
        /// The kind.
        public let id: SectionKind
        /// The title in the customer's language.
        public let title: String
        /// The purchases, at least one.
        public let items: [PurchaseItem]
    }

    /// The sections that are not empty.
    public let sections: [Section]

    /// Returns the purchases of a section; none for a section that is not shown.
    public func items(in section: SectionKind) -> [PurchaseItem] {
        sections.first { $0.id == section }?.items ?? []
    }
}

/// A purchase as a row of the history.
public struct PurchaseItem: Sendable, Hashable, Identifiable {
    /// The identity of the purchase.
    public let id: Purchase.ID
    /// The id of the product.
    public let productID: String
    /// The last known name of the product; its id if no name was ever known.
    public let name: String
    /// The kind of the product in words.
    public let kind: String
    /// The date on which the customer was charged.
    public let purchasedAt: Timestamp
    /// The price that was paid; nil if the store does not sign it, and for a family-shared purchase.
    public let price: String?
    /// The number of items bought.
    public let quantity: Int
    /// Whether a family member shares the purchase.
    public let isFamilyShared: Bool
    /// What has become of the purchase.
    public let standing: PurchaseStanding
    /// The same in words.
    public let state: String
    /// Whether a screen may offer to buy the product again: the store sells it, and the customer does not have it.
    public let offersPurchase: Bool
    /// Whether a screen offers to contact support, because the signature of the purchase is not valid.
    public var offersSupport: Bool {
        if case .unverified = standing { true } else { false }
    }
}

/// What has become of a purchase.
public enum PurchaseStanding: Sendable, Hashable {
    /// The purchase is in force, and ends at a date if it has one.
    case inForce(until: Timestamp?)
    /// The subscription is in force and renews; the date is nil if the store does not tell it.
    case renews(on: Timestamp?)
    /// The subscription is in force and renews to another product; the date is nil if the store does not tell it.
    case changes(productID: String, on: Timestamp?)
    /// The purchase is in force, although the store did not list it when it last answered.
    case unconfirmed
    /// The payment of a subscription has failed: access ends at the deadline, or has ended if there is none.
    case paymentFailed(deadline: Timestamp?)
    /// A consumable was bought.
    case bought
    /// A partly refunded consumable; `remaining` items are left, or nil if a part of an item was refunded.
    case partlyRefunded(remaining: Int?)
    /// A period of a subscription that a later one has followed.
    case earlierPeriod
    /// The paid time is over.
    case ended(on: Timestamp?)
    /// Another plan has replaced the subscription.
    case replaced
    /// The store has refunded or cancelled the purchase; Google Play does not tell the date.
    case refunded(on: Timestamp?)
    /// A family member no longer shares the purchase.
    case notShared(since: Timestamp?)
    /// The store has confirmed that it no longer lists the purchase.
    case notListed
    /// The store has not answered for so long that it is not known whether the purchase has ended.
    case needsStore
    /// A later verification of the signature has failed.
    case unverified(VerificationFailure.Code?)
    /// It is not known whether the purchase is in force.
    case notChecked

    /// Whether the purchase is in force.
    public var isInForce: Bool {
        switch self {
        case .inForce, .renews, .changes, .unconfirmed: true
        case .paymentFailed(let deadline): deadline != nil
        default: false
        }
    }
}

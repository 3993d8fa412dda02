internal import ReceiptTypes

/// The identity of a purchase: two transactions with the same key are versions of one purchase.
///
/// Usually that is the transaction id. The store can issue a subscription's period again under another transaction id;
/// then the billing event identifies the purchase. In Xcode and in a local store, it is the id with the purchase date,
/// because they use their ids again when their transactions are deleted.
public enum PurchaseKey: Sendable {
    /// A purchase that its transaction id identifies.
    case transaction(id: String)
    /// A subscription's billing event.
    case billingEvent(originalID: String, webOrderLineItemID: String)
    /// A purchase of Google Play. Ids of two stores are unrelated, so they never identify the same purchase.
    case playPurchase(token: String)
}

extension PurchaseKey: Hashable {
    /// Returns whether both keys have the same bytes, without Unicode normalization.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.transaction(let left), .transaction(let right)):
            left.isIdentical(to: right)
        case (.billingEvent(let leftID, let leftItem), .billingEvent(let rightID, let rightItem)):
            leftID.isIdentical(to: rightID) && leftItem.isIdentical(to: rightItem)
        case (.playPurchase(let left), .playPurchase(let right)):
            left.isIdentical(to: right)
        default: false
        }
    }

    /// Feeds the ids into a hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .transaction(let id): hasher.combine(id)
        case .billingEvent(_, let item): hasher.combine(item)
        case .playPurchase(let token): hasher.combine(token)
        }
    }
}

extension PurchaseKey: CustomStringConvertible {
    /// A string that is unique to the purchase.
    public var description: String {
        switch self {
        case .transaction(let id): "transaction \(id)"
        // The length keeps two different pairs of ids from producing the same string.
        case .billingEvent(let originalID, let item): "billing event \(item.utf8.count) \(item) of \(originalID)"
        case .playPurchase(let token): "Play purchase \(token)"
        }
    }
}

extension Transaction {
    // Inlined, so that a projection of very many transactions copies none of them.
    /// The identity of the purchase that this transaction is a version of.
    @inline(__always)
    public var purchaseKey: PurchaseKey {
        if play != nil { return .playPurchase(token: id) }
        if isOfTestStore { return .transaction(id: datedID) }
        guard kind == .autoRenewable, let webOrderLineItemID, !webOrderLineItemID.isEmpty
        else { return .transaction(id: id) }
        return .billingEvent(originalID: originalID, webOrderLineItemID: webOrderLineItemID)
    }
}

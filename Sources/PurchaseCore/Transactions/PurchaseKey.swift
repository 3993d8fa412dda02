internal import ReceiptTypes

/// What makes two transactions the same purchase.
///
/// Mostly that is the transaction's id. A subscription's period can be issued again under another id, and then the
/// billing event is the same.
public enum PurchaseKey: Sendable {
    /// A transaction of its own.
    case transaction(id: String)
    /// A billing event of a subscription.
    case billingEvent(originalID: String, webOrderLineItemID: String)
}

extension PurchaseKey: Hashable {
    /// Whether both are the same bytes: Swift also takes texts for equal that only look the same.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.transaction(let left), .transaction(let right)):
            left.isIdentical(to: right)
        case (.billingEvent(let leftID, let leftItem), .billingEvent(let rightID, let rightItem)):
            leftID.isIdentical(to: rightID) && leftItem.isIdentical(to: rightItem)
        default: false
        }
    }

    /// Feeds the ids into a hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .transaction(let id): hasher.combine(id)
        case .billingEvent(_, let item): hasher.combine(item)
        }
    }
}

extension PurchaseKey: CustomStringConvertible {
    /// A text that no other purchase has.
    public var description: String {
        switch self {
        case .transaction(let id): "transaction \(id)"
        // With the length, so that no two pairs of ids make the same text.
        case .billingEvent(let originalID, let item): "billing event \(item.utf8.count) \(item) of \(originalID)"
        }
    }
}

extension Transaction {
    /// What makes another transaction the same purchase as this one.
    public var purchaseKey: PurchaseKey {
        guard kind == .autoRenewable, let webOrderLineItemID, !webOrderLineItemID.isEmpty
        else { return .transaction(id: id) }
        return .billingEvent(originalID: originalID, webOrderLineItemID: webOrderLineItemID)
    }
}

internal import ReceiptTypes

/// What the customer has of a purchase after the last order for it was carried out.
///
/// A refund of some items, and a planned change of a Google Play subscription, give the same purchase another amount.
public enum FulfilledAmount: Sendable {
    /// The customer has this number of items of the product.
    case granted(productID: String, quantity: Int)
    /// The purchase was taken back, or was refunded before it was granted.
    case revoked
}

extension FulfilledAmount: Hashable {
    /// Returns whether both amounts are the same; the ids of the products are compared byte by byte.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.granted(let leftID, let leftQuantity), .granted(let rightID, let rightQuantity)):
            leftQuantity == rightQuantity && leftID.isIdentical(to: rightID)
        case (.revoked, .revoked): true
        default: false
        }
    }

    /// Feeds the number of items into a hasher.
    public func hash(into hasher: inout Hasher) {
        if case .granted(_, let quantity) = self { hasher.combine(quantity) }
    }
}

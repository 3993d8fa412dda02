public import ReceiptTypes

/// Another product that a subscription renews to, such as a downgrade that waits for the period's end.
public struct PlanChange: Sendable, Hashable {
    /// The product of the current period.
    public let productID: String
    /// The product of the next one.
    public let nextProductID: String
    /// When the change takes place.
    public let date: Timestamp

    /// Describes a change.
    public init(productID: String, nextProductID: String, date: Timestamp) {
        self.productID = productID
        self.nextProductID = nextProductID
        self.date = date
    }
}

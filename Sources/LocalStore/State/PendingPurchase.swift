public import ReceiptTypes

/// A purchase that waits for somebody.
public struct PendingPurchase: Codable, Sendable, Hashable, Identifiable {
    /// What it waits for.
    public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        /// Whoever has to approve it (Ask to Buy).
        case approval
        /// The customer, who has to resolve an issue.
        case interruption
    }

    let number: Int64
    /// What it waits for.
    public let kind: Kind
    /// Who buys.
    public let account: String
    /// What is bought.
    public let productID: String
    /// What goes with it.
    public let order: PurchaseOrder
    /// Since when it waits.
    public let date: Timestamp

    /// The id by which commands call it.
    public var id: String { "\(number)" }
}

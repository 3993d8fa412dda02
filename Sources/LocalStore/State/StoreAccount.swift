public import ReceiptTypes

/// A customer of a local store.
public struct StoreAccount: Codable, Sendable, Hashable, Identifiable {
    /// The name by which commands call it.
    public let name: String
    /// The family that it belongs to; nil for none.
    public internal(set) var family: String?
    /// The number of the customer's download of the app.
    let appTransactionNumber: Int64
    /// When the customer has downloaded the app.
    public let originalPurchaseDate: Timestamp
    /// The version of the app that was downloaded first.
    public let originalVersion: String

    /// The name.
    public var id: String { name }
    /// The id of the customer's download of the app.
    public var appTransactionID: String { "\(appTransactionNumber)" }
}

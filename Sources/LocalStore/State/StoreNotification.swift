public import ReceiptTypes

/// A server notification that a local store has sent, with what it was about as that stood then.
public struct StoreNotification: Codable, Sendable, Hashable, Identifiable {
    /// Its UUID.
    public let id: String
    /// What it is about.
    public let type: NotificationType
    /// What it is about, more closely.
    public let subtype: NotificationSubtype?
    /// When it was sent.
    public let date: Timestamp
    /// Whom it concerns.
    public let account: String
    /// The transaction as it stood then.
    public let transaction: StoredTransaction
    /// The subscription as it stood then; nil for all but auto-renewable ones.
    public let subscription: StoredSubscription?
    /// Why the customer asks for a refund.
    public let consumptionRequestReason: ConsumptionRequestReason?
}

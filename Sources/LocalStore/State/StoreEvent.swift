public import ReceiptTypes

/// A change of the simulated store.
public enum StoreEvent: Sendable, Hashable {
    /// A transaction was added or signed again.
    case transaction(StoredTransaction)
    /// The renewal info of a subscription changed.
    case subscription(StoredSubscription)
    /// A purchase started to wait for approval or for the customer.
    case pending(PendingOrder)
    /// A waiting purchase was declined or abandoned, or was not approved in time.
    case abandoned(PendingOrder)
    /// The store sent a server notification.
    case notification(StoreNotification)
    /// A transaction was deleted.
    case removed(StoredTransaction)
}

/// A server notification, with the transaction and the subscription as they were when it was sent.
public struct StoreNotification: Codable, Sendable, Hashable, Identifiable {
    /// The notification's UUID.
    public let id: String
    /// The notification type.
    public let type: NotificationType
    /// The notification subtype.
    public let subtype: NotificationSubtype?
    /// The time at which the store sent the notification.
    public let date: Timestamp
    /// The customer's account.
    public let account: String
    /// The transaction at that time.
    public let transaction: StoredTransaction
    /// The subscription at that time; nil for products that do not renew.
    public let subscription: StoredSubscription?
    /// The customer's reason for a refund request.
    public let consumptionRequestReason: ConsumptionRequestReason?
}

/// What a receipt is about.
public enum ReceiptKind: String, Sendable, Hashable, CaseIterable {
    /// One purchase, renewal or refund in the App Store.
    case transaction
    /// The state of a subscription's renewal in the App Store.
    case renewalInfo
    /// A server notification of the App Store, version 2.
    case notification
    /// An app's own purchase from the App Store.
    case appTransaction
    /// A request of the App Store for a real-time answer.
    case realtimeRequest
    /// A purchase on Google Play.
    case playPurchase

    /// The kind with its article, such as "a transaction".
    public var title: String {
        switch self {
        case .transaction: "a transaction"
        case .renewalInfo: "a renewal info"
        case .notification: "a notification"
        case .appTransaction: "an app transaction"
        case .realtimeRequest: "a realtime request"
        case .playPurchase: "a Google Play purchase"
        }
    }

    /// Reads a machine name, such as `renewalInfo`, or the same with hyphens, such as `renewal-info`.
    public init?(name: String) {
        let wanted = name.lowercased().filter { $0 != "-" }
        guard let kind = Self.allCases.first(where: { $0.rawValue.lowercased() == wanted }) else { return nil }
        self = kind
    }
}

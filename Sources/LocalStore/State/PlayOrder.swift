public import ReceiptTypes

/// The part of an order, and of the transaction that it leads to, that only Google Play has.
public struct PlayOrder: Codable, Sendable, Hashable {
    /// The obfuscated id of the profile within the app's account.
    public var obfuscatedProfileID: String?
    /// The number in the purchase token; nil until the store has assigned one.
    var tokenNumber: Int64?
    /// Whether the app has acknowledged or consumed the purchase.
    public internal(set) var isAcknowledged = false

    /// Creates an order.
    public init(obfuscatedProfileID: String? = nil) {
        self.obfuscatedProfileID = obfuscatedProfileID
    }
}

/// A purchase of Google Play that replaces another one within a paid period, because a change of the plan was accepted.
///
/// The change takes effect with the next renewal. Until then, the replacement has the product of the period.
public struct PlayReplacement: Codable, Sendable, Hashable {
    /// The number in the purchase token.
    let tokenNumber: Int64
    /// The time of the purchase.
    public let date: Timestamp
    /// The obfuscated id of the profile within the app's account.
    public let obfuscatedProfileID: String?
    /// Whether the app has acknowledged the purchase.
    public internal(set) var isAcknowledged = false
}

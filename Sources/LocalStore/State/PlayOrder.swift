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

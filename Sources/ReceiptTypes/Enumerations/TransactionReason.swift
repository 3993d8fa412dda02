/// Why there is a transaction.
public struct TransactionReason: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `PURCHASE`
    public static let purchase = Self(rawValue: "PURCHASE")
    /// `RENEWAL`
    public static let renewal = Self(rawValue: "RENEWAL")

    /// The documented values.
    public static let known: [Self] = [
        .purchase, .renewal,
    ]
}

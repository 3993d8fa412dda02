/// Why a subscription expired.
public struct ExpirationIntent: NumberedEnum {
    /// The number as the store sends it.
    public let rawValue: Int32

    /// Takes any number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The customer cancelled.
    public static let customerCancelled = Self(rawValue: 1)
    /// Billing failed.
    public static let billingError = Self(rawValue: 2)
    /// The customer did not accept a price increase.
    public static let priceIncreaseDeclined = Self(rawValue: 3)
    /// The product was not available.
    public static let productUnavailable = Self(rawValue: 4)
    /// Other.
    public static let other = Self(rawValue: 5)

    /// The documented numbers and what they mean.
    public static let meanings: KeyValuePairs<Self, String> = [
        .customerCancelled: "the customer cancelled",
        .billingError: "billing failed",
        .priceIncreaseDeclined: "the customer did not accept a price increase",
        .productUnavailable: "the product was not available",
        .other: "other",
    ]
}

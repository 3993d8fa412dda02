/// The kind of an offer.
public struct OfferType: NumberedEnum {
    /// The number as the store sends it.
    public let rawValue: Int32

    /// Takes any number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Introductory offer.
    public static let introductory = Self(rawValue: 1)
    /// Promotional offer.
    public static let promotional = Self(rawValue: 2)
    /// Offer code.
    public static let code = Self(rawValue: 3)
    /// Win-back offer.
    public static let winBack = Self(rawValue: 4)

    /// The documented numbers and what they mean.
    public static let meanings: KeyValuePairs<Self, String> = [
        .introductory: "introductory offer",
        .promotional: "promotional offer",
        .code: "offer code",
        .winBack: "win-back offer",
    ]
}

/// Whether a purchase is the customer's own or shared by the family.
public struct InAppOwnershipType: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `FAMILY_SHARED`
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
    /// `PURCHASED`
    public static let purchased = Self(rawValue: "PURCHASED")

    /// The documented values.
    public static let known: [Self] = [
        .familyShared, .purchased,
    ]
}

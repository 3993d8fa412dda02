/// The length of a period, as ISO 8601 has it.
public struct SubscriptionPeriod: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `P1W`
    public static let oneWeek = Self(rawValue: "P1W")
    /// `P1M`
    public static let oneMonth = Self(rawValue: "P1M")
    /// `P2M`
    public static let twoMonths = Self(rawValue: "P2M")
    /// `P3M`
    public static let threeMonths = Self(rawValue: "P3M")
    /// `P6M`
    public static let sixMonths = Self(rawValue: "P6M")
    /// `P1Y`
    public static let oneYear = Self(rawValue: "P1Y")
    /// `P3D`
    public static let threeDays = Self(rawValue: "P3D")
    /// `P2W`
    public static let twoWeeks = Self(rawValue: "P2W")
    /// `P9M`
    public static let nineMonths = Self(rawValue: "P9M")

    /// The documented values.
    public static let known: [Self] = [
        .oneWeek, .oneMonth, .twoMonths, .threeMonths, .sixMonths, .oneYear, .threeDays, .twoWeeks, .nineMonths,
    ]
}

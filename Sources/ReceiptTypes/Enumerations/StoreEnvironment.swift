/// Where a purchase was made.
public struct StoreEnvironment: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `Sandbox`
    public static let sandbox = Self(rawValue: "Sandbox")
    /// `Production`
    public static let production = Self(rawValue: "Production")
    /// `Xcode`
    public static let xcode = Self(rawValue: "Xcode")
    /// `LocalTesting`
    public static let localTesting = Self(rawValue: "LocalTesting")

    /// The documented values.
    public static let known: [Self] = [
        .sandbox, .production, .xcode, .localTesting,
    ]
}

/// The environment that a receipt comes from (`environment`, or `receiptType` of an app transaction).
public struct StoreEnvironment: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `Sandbox`: purchases by test accounts, which cost nothing.
    public static let sandbox = Self(rawValue: "Sandbox")
    /// `Production`: real purchases.
    public static let production = Self(rawValue: "Production")
    /// `Xcode`: StoreKit testing in Xcode, signed with a local certificate.
    public static let xcode = Self(rawValue: "Xcode")
    /// `LocalTesting`: tests of a server, signed with a local certificate.
    public static let localTesting = Self(rawValue: "LocalTesting")

    /// The values that this version knows.
    public static let known: [Self] = [
        .sandbox, .production, .xcode, .localTesting,
    ]
}

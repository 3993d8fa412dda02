/// The platform on which the app was first bought.
public struct OriginalPlatform: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `iOS`
    public static let iOS = Self(rawValue: "iOS")
    /// `macOS`
    public static let macOS = Self(rawValue: "macOS")
    /// `tvOS`
    public static let tvOS = Self(rawValue: "tvOS")
    /// `visionOS`
    public static let visionOS = Self(rawValue: "visionOS")

    /// The documented values.
    public static let known: [Self] = [
        .iOS, .macOS, .tvOS, .visionOS,
    ]
}

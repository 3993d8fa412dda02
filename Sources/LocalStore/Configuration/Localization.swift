/// A name and a description in one language.
public struct Localization: Sendable, Hashable {
    /// The language, such as `en_US` or `ar`.
    public var locale: String
    /// The name that customers see.
    public var displayName: String
    /// The description that customers see.
    public var description: String

    /// Describes something in one language.
    public init(locale: String, displayName: String, description: String = "") {
        self.locale = locale
        self.displayName = displayName
        self.description = description
    }
}

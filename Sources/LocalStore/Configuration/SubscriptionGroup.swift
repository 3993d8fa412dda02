/// Subscriptions of which a customer has one at a time.
public struct SubscriptionGroup: Sendable, Hashable, Identifiable {
    /// The group's id.
    public var id: String
    /// The name that only its makers see.
    public var name: String
    /// Names by language.
    public var localizations: [Localization]

    /// Describes a group.
    public init(id: String, name: String = "", localizations: [Localization] = []) {
        self.id = id
        self.name = name
        self.localizations = localizations
    }
}

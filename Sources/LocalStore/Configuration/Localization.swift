/// A display name and a description in one locale.
public struct Localization: Sendable, Hashable {
    /// The locale, such as `en_US` or `ar`.
    public var locale: String
    /// The display name.
    public var displayName: String
    /// The description.
    public var description: String

    /// Creates a localization.
    public init(locale: String, displayName: String, description: String = "") {
        self.locale = locale
        self.displayName = displayName
        self.description = description
    }
}

extension Localization {
    /// Returns the best match for a locale: the same language and region, else the language, else the first entry.
    ///
    /// A hyphen equals an underscore, and case does not matter. Of several entries with the language alone in common,
    /// the one without a region wins. Returns nil for an empty list.
    public static func best(in localizations: [Localization], for locale: String) -> Localization? {
        let wanted = parts(of: locale)
        let exact = localizations.first { $0.locale.utf8.elementsEqual(locale.utf8) }
        let same = exact ?? localizations.first { parts(of: $0.locale) == wanted }
        if let same { return same }
        let related = localizations.filter { parts(of: $0.locale).first == wanted.first }
        return related.first { parts(of: $0.locale).count == 1 } ?? related.first ?? localizations.first
    }

    private static func parts(of locale: String) -> [[UInt8]] {
        Array(locale.lowercased().utf8)
            .split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
            .map(Array.init)
    }
}

extension ConfiguredProduct {
    /// Returns the best localization of the product for a locale, or nil where it has none.
    public func localization(for locale: String) -> Localization? {
        Localization.best(in: localizations, for: locale)
    }
}

extension SubscriptionGroup {
    /// Returns the best localization of the group for a locale, or nil where it has none.
    public func localization(for locale: String) -> Localization? {
        Localization.best(in: localizations, for: locale)
    }
}

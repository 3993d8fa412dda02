extension Localization {
    /// The text for a customer of a language: the one of that language and region, or else of the language, or else
    /// the first; nil where there is none at all.
    ///
    /// A hyphen counts as an underscore and capitals as small letters. Of several that share only the language, the one
    /// without a region comes first.
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
    /// Name and description for a customer of a language; nil where the product has none at all.
    public func localization(for locale: String) -> Localization? {
        Localization.best(in: localizations, for: locale)
    }
}

extension SubscriptionGroup {
    /// The name for a customer of a language; nil where the group has none at all.
    public func localization(for locale: String) -> Localization? {
        Localization.best(in: localizations, for: locale)
    }
}

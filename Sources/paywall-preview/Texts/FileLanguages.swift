internal import LocalStore

/// The languages of the names and descriptions in a `.storekit` file, which can differ from the language of the pages.
struct FileLanguages: Sendable {
    private let tags: [String: String]

    /// Reads the languages of all texts. Of one that several locales have, the locale in which the products are shown
    /// counts.
    init(of configuration: StoreConfiguration) {
        let locale = configuration.settings.locale
        let shown =
            configuration.products.map { $0.localization(for: locale) }
            + configuration.groups.map { $0.localization(for: locale) }
        let all = configuration.products.flatMap(\.localizations) + configuration.groups.flatMap(\.localizations)
        tags = Dictionary(
            (shown.compactMap(\.self) + all).flatMap { words in
                [words.displayName, words.description].map { ($0, words.locale.replacing("_", with: "-")) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the BCP 47 tag of a text's language; nil for a text that the file does not have.
    func tag(of text: String) -> String? { tags[text] }
}

/// The choice of a language by BCP 47 tags, without the system's localization.
enum LanguageTag {
    /// Returns the available tag for a requested one; nil if there is none of the language.
    ///
    /// It shortens the requested tag from the end (RFC 4647 section 3.4), and then takes the first available tag of the
    /// same language: a reader of `zh-Hant` has more use for `zh-Hans` than for English. The names of POSIX locales,
    /// such as `ja_JP.UTF-8`, are accepted.
    static func match(_ requested: String, among available: some Collection<String>) -> String? {
        let tags = available.sorted().map { (tag: $0, subtags: subtags(of: $0)) }
        let wanted = subtags(of: requested)
        guard let language = wanted.first else { return nil }
        for count in stride(from: wanted.count, to: 0, by: -1) {
            let shortened = Array(wanted.prefix(count))
            if let match = tags.first(where: { $0.subtags == shortened }) { return match.tag }
        }
        return tags.first { $0.subtags.first == language }?.tag
    }

    /// The subtags in lower case.
    private static func subtags(of tag: String) -> [String] {
        let name = tag.prefix { $0 != "." && $0 != "@" }
        return name.lowercased().split { $0 == "-" || $0 == "_" }.map(String.init)
    }
}

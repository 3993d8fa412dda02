/// The format's spelling of locales, such as `ar`, `en_US`, `zh_Hans` and `es_419`.
enum LocaleSpelling {
    /// Returns whether a string is a locale in this spelling.
    static func isCanonical(_ text: String) -> Bool {
        guard let corrected = corrected(text) else { return false }
        return corrected.utf8.elementsEqual(text.utf8)
    }

    /// Returns the format's spelling of a locale such as `en-us`, or nil where the string is not a locale.
    static func corrected(_ text: String) -> String? {
        guard text.utf8.count <= 16, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }
        guard (1...3).contains(parts.count), let language = parts.first, (2...3).contains(language.count),
            language.allSatisfy(\.isLetter)
        else { return nil }
        var words = [language.lowercased()]
        for (index, part) in parts.dropFirst().enumerated() {
            switch part.count {
            case 4 where index == 0 && part.allSatisfy(\.isLetter):
                words.append(part.prefix(1).uppercased() + part.dropFirst().lowercased())
            case 2 where index == parts.count - 2 && part.allSatisfy(\.isLetter): words.append(part.uppercased())
            case 3 where index == parts.count - 2 && part.allSatisfy(\.isNumber): words.append(String(part))
            default: return nil
            }
        }
        return words.joined(separator: "_")
    }
}

internal import ReceiptTypes

/// Finds the word of a list that an argument means.
package enum WordSearch {
    /// Returns the word to suggest for a misspelled or shortened argument, if one is close enough.
    package static func nearest(to text: String, in words: [String]) -> String? {
        if let nearest = NearestWord.to(text, in: words) { return nearest }
        let prefixed = words.filter { !text.isEmpty && $0.lowercased().hasPrefix(text.lowercased()) }
        return prefixed.count == 1 ? prefixed.first : nil
    }

    /// Returns the word that equals an argument, ignoring case and hyphens: `renewalInfo` matches `renewal-info`.
    package static func match(_ text: String, in words: [String]) -> String? {
        words.first { normalized($0) == normalized(text) }
    }

    private static func normalized(_ text: String) -> String { text.lowercased().filter { $0 != "-" } }
}

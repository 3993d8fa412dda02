internal import ReceiptTypes

/// Finds what somebody meant to write.
package enum Spelling {
    /// The word that is closest to a text or begins with it, if one is close enough to be meant.
    package static func nearest(to text: String, in words: [String]) -> String? {
        if let nearest = NearestWord.to(text, in: words) { return nearest }
        let prefixed = words.filter { !text.isEmpty && $0.lowercased().hasPrefix(text.lowercased()) }
        return prefixed.count == 1 ? prefixed.first : nil
    }

    /// The word that a text spells, without regard to case and hyphens: `renewalInfo` is `renewal-info`.
    package static func match(_ text: String, in words: [String]) -> String? {
        words.first { plain($0) == plain(text) }
    }

    private static func plain(_ text: String) -> String { text.lowercased().filter { $0 != "-" } }
}

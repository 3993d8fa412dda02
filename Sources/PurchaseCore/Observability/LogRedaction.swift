internal import ReceiptTypes

/// Removes from a text what must not leave the device: signed content, tokens, keys, ids of users, and addresses.
///
/// It is a list of what may stay, so a secret of a form that is not foreseen is removed as well: words, short numbers,
/// and names made of them. A word that is itself the secret, such as a password from a dictionary, cannot be
/// recognized; the package writes none into its texts.
public enum LogRedaction {
    /// The text that replaces what was removed.
    public static let replacement = "[redacted]"
    /// The largest number of characters of a redacted text.
    static let limit = 400

    /// Returns a text for people without its secrets, escaped, and cut to 400 characters.
    public static func text(_ text: String) -> String {
        // A part of a payload has values of any form, so everything from its first brace on is removed.
        let parts = text.prefix(limit * 4).split(separator: "{", maxSplits: 1, omittingEmptySubsequences: false)
        var output = ""
        var word = ""
        func endWord() {
            output += isHarmless(word) ? word : replacement
            word = ""
        }
        for character in parts.first ?? "" {
            if isSeparator(character) {
                endWord()
                output.append(character)
            } else {
                word.append(character)
            }
        }
        endWord()
        if parts.count > 1 { output += replacement }
        return String(HiddenCharacters.escaped(output).prefix(limit))
    }

    /// Returns an id of a product, escaped and cut to 100 characters.
    static func identifier(_ id: String) -> String { String(HiddenCharacters.escaped(id).prefix(100)) }

    /// Returns how a log names a transaction.
    ///
    /// An id of the App Store, which is a number, stays: support finds the purchase with it, and it gives no access. Of
    /// any other id, such as a purchase token of Google Play, at most the first six characters stay.
    public static func reference(ofTransaction id: String) -> String {
        let isNumber = !id.isEmpty && id.utf8.count <= 20 && id.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? id : HiddenCharacters.escaped(String(id.prefix(min(6, id.count / 4)))) + "…"
    }

    // MARK: Words

    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || "\"'`()[]<>,;:|=?&".contains(character)
    }

    private static func isHarmless(_ word: String) -> Bool {
        if word.isEmpty { return true }
        // An address, a path, and the start of the header of a JWS.
        if word.contains("@") || word.hasPrefix("/") || word.hasPrefix("eyJ") || word.count > 64 { return false }
        let parts = word.split(omittingEmptySubsequences: true) { !$0.isLetter && !$0.isNumber }
        if parts.map(\.count) == [8, 4, 4, 4, 12], word.allSatisfy({ $0 == "-" || $0.isHexDigit }) { return false }
        return parts.allSatisfy(isHarmlessPart)
    }

    private static func isHarmlessPart(_ part: Substring) -> Bool {
        let digits = part.count(where: \.isNumber)
        if digits == 0 { return part.count <= 24 }
        return digits == part.count ? digits <= 9 : part.count <= 6
    }
}

internal import ReceiptTypes

/// Texts of a file as they may be shown.
enum Quotation {
    /// The text as JSON writes it, or only its length where it is long.
    ///
    /// A private key is long, so it is never shown, whatever key of the file it stands under.
    static func of(_ text: String) -> String {
        guard text.utf8.count <= ConfigurationBudget.quotedSize else { return "a text of \(text.utf8.count) bytes" }
        return text.isEmpty ? "an empty text" : JSONValue.string(text).description
    }

    /// A choice: `A, B or C`.
    static func choice(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}

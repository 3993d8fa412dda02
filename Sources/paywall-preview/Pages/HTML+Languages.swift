internal import CommandLineInterface

extension PreviewShop {
    /// Returns the attributes of an element with a text that can be from the `.storekit` file: its direction, and its
    /// language if the file has the text.
    func attributes(of text: String) -> HTML {
        let language: HTML = languages.tag(of: text).map { " lang=\"\($0)\"" } ?? .empty
        return " dir=\"auto\"\(language)"
    }
}

extension ShopTexts {
    /// Returns a text with markup in the place of a placeholder.
    func html(_ message: ShopMessage, _ placeholder: String, _ value: HTML) -> HTML {
        let sides = self[message].split(separator: "{\(placeholder)}", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2 else { return "\(self[message])" }
        return "\(String(sides[0]))\(value)\(String(sides[1]))"
    }
}

internal import CommandLineInterface

/// Numbers and texts in the form in which the page shows them.
enum PageText {
    /// The longest text in a table, and in a chart that is as wide as a phone.
    private static let maximumLength = 80
    private static let maximumLabelLength = 28
    private static let maximumSentenceLength = 300

    static func number(_ number: Int) -> String { "\(GroupedNumber(number))" }

    /// Returns a number with its noun, such as `1 receipt` or `1,200 receipts`.
    static func count(_ number: Int, _ noun: String, _ nouns: String? = nil) -> String {
        "\(GroupedNumber(number)) \(number == 1 ? noun : nouns ?? "\(noun)s")"
    }

    /// Returns a part of a whole in percent with one decimal; a part never looks like nothing or like the whole.
    static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "0%" }
        if part == whole { return "100%" }
        let tenths = Int((Double(part) / Double(whole) * 1000).rounded())
        if part > 0, tenths == 0 { return "<0.1%" }
        if tenths >= 1000 { return ">99.9%" }
        return "\(tenths / 10).\(tenths % 10)%"
    }

    /// Returns a ratio from 0 to 1 as a length in an SVG.
    static func length(_ ratio: Double) -> String {
        let thousandths = Int((min(max(ratio, 0), 1) * 100_000).rounded())
        let fraction = String(thousandths % 1000)
        return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)%"
    }

    /// Returns an untrusted text without hidden characters, and without its middle if it is long.
    static func shown(_ text: String) -> String { cut("\(Escaped(text))", to: maximumLength) }

    /// Returns a longer untrusted text, as a table cannot show it.
    static func sentence(_ text: String) -> String { cut("\(Escaped(text))", to: maximumSentenceLength) }

    /// Returns an untrusted text as the label of a chart. Its end is kept: product IDs differ there.
    static func label(_ text: String) -> String { cut("\(Escaped(text))", to: maximumLabelLength) }

    private static func cut(_ text: String, to length: Int) -> String {
        // A character can have any number of scalars.
        guard text.unicodeScalars.count > length else { return text }
        let scalars = Array(text.unicodeScalars)
        let half = (length - 1) / 2
        var result = String.UnicodeScalarView(scalars.prefix(length - 1 - half))
        result.append("…")
        result.append(contentsOf: scalars.suffix(half))
        return String(result)
    }
}

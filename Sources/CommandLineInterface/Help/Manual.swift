/// What help and the manual page say in the same words.
enum Manual<Program: Tool> {
    static var environmentRule: String {
        "A flag on the command line wins over the environment. Several values are separated by commas; for a switch 1 is "
            + "on and 0 is off."
    }

    /// Variables that stand for no flag.
    static var otherVariables: [(String, String)] {
        [("NO_COLOR", "when set and not empty: no colour"), ("TERM", "when dumb: no colour")]
    }

    /// A flag with its short name and its value.
    static func spelling(of flag: Program.Flag, indented: Bool) -> String {
        let definition = flag.definition
        let short = definition.short.map { "-\($0), " } ?? (indented ? "    " : "")
        let long = definition.isNegatable ? "--[no-]\(flag.rawValue)" : flag.spelling
        return short + long + (definition.value.map { "=\($0)" } ?? "")
    }

    /// Everything that is to be said of a flag.
    static func paragraph(on flag: Program.Flag) -> String {
        let definition = flag.definition
        var text = definition.summary.prefix(1).uppercased() + definition.summary.dropFirst() + "."
        if !definition.details.isEmpty { text += " " + definition.details }
        if definition.isRepeatable { text += " May be repeated." }
        return text
    }
}

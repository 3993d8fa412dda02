/// The sentences that the help and the manual page share.
enum HelpContent<Program: ToolDefinition> {
    static var environmentRule: String {
        "A flag on the command line overrides its variable. Separate several values with commas. Set a switch to 1 or "
            + "0."
    }

    static var schemaRule: String {
        "The member schema of each JSON object names its kind and version. Ignore members that you do not know: an "
            + "object can get further members. If members change or disappear, the version changes."
    }

    /// The variables that set no flag, and their effects.
    static var otherVariables: [(String, String)] {
        [("NO_COLOR", "disables color when set and not empty"), ("TERM", "disables color when set to dumb")]
    }

    /// A flag with its short name and its value.
    static func spelling(of flag: Program.Flag, indented: Bool) -> String {
        let definition = flag.definition
        let short = definition.short.map { "-\($0), " } ?? (indented ? "    " : "")
        let long = definition.isNegatable ? "--[no-]\(definition.name)" : flag.spelling
        return short + long + (definition.value.map { "=\($0.name)" } ?? "")
    }

    /// The complete description of a flag.
    static func paragraph(on flag: Program.Flag) -> String {
        let definition = flag.definition
        var text = sentence(definition.summary)
        if !definition.details.isEmpty { text += " " + definition.details }
        if definition.isRepeatable { text += " Can be repeated." }
        return text
    }

    /// A summary as a sentence.
    static func sentence(_ summary: String) -> String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }
}

/// What the help, the manual page and the completions say of a command.
package struct CommandDefinition: Sendable {
    /// A command line that works, and what it does.
    package struct Example: Sendable {
        package let purpose: String
        package let line: String

        package init(purpose: String, line: String) {
            self.purpose = purpose
            self.line = line
        }
    }

    /// What stands after the command's name, as a usage line shows it.
    package let operands: String
    /// One line, lower case.
    package let summary: String
    /// Paragraphs.
    package let description: [String]
    /// Words that the first operand may be, for completion; empty where files are meant.
    package let actions: [String]
    package let examples: [Example]

    /// What stands after the command's name, with a place for flags.
    var synopsis: String { operands.isEmpty ? "[OPTION]..." : "[OPTION]... \(operands)" }

    package init(
        operands: String,
        summary: String,
        description: [String],
        actions: [String] = [],
        examples: [Example] = []
    ) {
        self.operands = operands
        self.summary = summary
        self.description = description
        self.actions = actions
        self.examples = examples
    }
}

/// What the help, the manual page and the completions say of a command.
struct CommandDefinition: Sendable {
    /// A command line that works, and what it does.
    struct Example: Sendable {
        let purpose: String
        let line: String
    }

    /// What stands after the command's name, as a usage line shows it.
    let operands: String
    /// One line, lower case.
    let summary: String
    /// Paragraphs.
    let description: [String]
    /// Words that the first operand may be, for completion; empty where files are meant.
    let actions: [String]
    let examples: [Example]

    init(
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

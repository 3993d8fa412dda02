/// The commands of a tool, as an enum with one case per command and one row of ``definition`` per case.
///
/// The rows form one `switch` without a `default`, so a command without a row does not compile.
package protocol ToolCommand: CaseIterable, Hashable, Sendable {
    /// The row of the command in the table.
    var definition: CommandDefinition { get }
}

extension ToolCommand {
    /// The command as it is written on the command line.
    package var name: String { definition.name }

    /// Returns the command with a name.
    package static func named(_ name: String) -> Self? {
        allCases.first { $0.name == name }
    }
}

/// A row in the table of commands: everything that the parser, the help, the manual page and the completions need.
package struct CommandDefinition: Sendable {
    /// A working command line and its purpose.
    package struct Example: Sendable {
        package let purpose: String
        package let line: String

        package init(_ purpose: String, _ line: String) {
            self.purpose = purpose
            self.line = line
        }
    }

    package let name: String
    /// The operands as the usage line shows them.
    package let operands: String
    /// The words that an operand can be, for completion; empty if it is a file.
    package let actions: [String]
    /// One line in lower case, without a full stop.
    package let summary: String
    /// The paragraphs of long help.
    package let description: [String]
    package let examples: [Example]

    /// The options and operands that follow the command's name.
    var synopsis: String { operands.isEmpty ? "[OPTION]..." : "[OPTION]... \(operands)" }

    package init(
        _ name: String,
        operands: String = "",
        actions: [String] = [],
        summary: String,
        description: [String],
        examples: [Example] = []
    ) {
        self.name = name
        self.operands = operands
        self.actions = actions
        self.summary = summary
        self.description = description
        self.examples = examples
    }
}

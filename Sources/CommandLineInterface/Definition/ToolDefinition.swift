/// The name of a command-line tool and its tables of commands and flags.
///
/// The parser, the help, the manual page and the completions all derive from it.
package protocol ToolDefinition: Sendable {
    associatedtype Command: ToolCommand
    associatedtype Flag: ToolFlag where Flag.Command == Command
    associatedtype Schema: ToolSchema

    /// The name of the program.
    static var name: String { get }
    static var version: String { get }
    /// The command to run if the command line names none.
    static var defaultCommand: Command { get }
    /// The line that opens the help and the manual page, in lower case; by default the summary of the default command.
    static var summary: String { get }
    /// The paragraphs that follow the summary; by default the description of the default command.
    static var description: [String] { get }
    /// The command whose output file can be resumed after an interruption, if there is one.
    static var resumableCommand: Command? { get }
    /// Whether the files that the tool creates are for this user alone, because they can have secrets.
    static var writesPrivateFiles: Bool { get }
    /// The exit codes and their meanings.
    static var exitCodes: [(code: Int, meaning: String)] { get }
}

extension ToolDefinition {
    package static var summary: String { defaultCommand.definition.summary }
    package static var description: [String] { defaultCommand.definition.description }
    package static var resumableCommand: Command? { nil }
    package static var writesPrivateFiles: Bool { false }

    /// The flags of a command, in the order of the table.
    package static func flags(of command: Command) -> [Flag] {
        Flag.allCases.filter { $0.definition.commands.contains(command) }
    }

    /// The environment variable that sets a flag, if there is one.
    package static func environmentVariable(of flag: Flag) -> String? {
        let definition = flag.definition
        switch definition.variable {
        case .none: return nil
        case .standard: return String("\(name)-\(definition.name)".uppercased().map { $0 == "-" ? "_" : $0 })
        case .named(let variable): return variable
        }
    }

    /// The program's name as a shell identifier.
    static var identifier: String { String(name.map { $0 == "-" ? "_" : $0 }) }
}

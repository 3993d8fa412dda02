/// A command-line tool as its parser, its help and its completions see it: a name and two tables.
package protocol Tool: Sendable {
    associatedtype Command: ToolCommand
    associatedtype Flag: ToolFlag where Flag.Command == Command

    /// The program's name.
    static var name: String { get }
    static var version: String { get }
    /// The command that is meant where none is named.
    static var defaultCommand: Command { get }
    /// What opens the help and the manual page: one line, lower case. By default what is said of the default command.
    static var summary: String { get }
    /// The paragraphs after it.
    static var description: [String] { get }
    /// The command whose output file can be continued after an interruption, if there is one.
    static var resumableCommand: Command? { get }
    /// What the exit codes mean, which is fixed for ever.
    static var exitCodes: [(code: Int, meaning: String)] { get }

    /// Does what a command line asks for.
    static func perform(_ session: ToolSession<Self>) async throws -> ExitCode
}

extension Tool {
    package static var summary: String { defaultCommand.definition.summary }
    package static var description: [String] { defaultCommand.definition.description }
    package static var resumableCommand: Command? { nil }

    /// The flags that a command takes, in the order of the table.
    package static func flags(of command: Command) -> [Flag] {
        Flag.allCases.filter { $0.definition.commands.contains(command) }
    }

    /// The environment variable that stands in for a flag, if there is one.
    package static func environmentVariable(of flag: Flag) -> String? {
        let definition = flag.definition
        guard definition.readsEnvironment else { return nil }
        return definition.environmentVariable ?? variable(from: "\(name)-\(flag.rawValue)")
    }

    /// The name as a shell can use it for a function.
    static var identifier: String { String(name.map { $0 == "-" ? "_" : $0 }) }

    private static func variable(from text: String) -> String {
        String(text.uppercased().map { $0 == "-" ? "_" : $0 })
    }
}

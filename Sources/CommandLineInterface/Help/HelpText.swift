/// Help for a terminal, derived from the tables of commands and flags.
enum HelpText<Program: Tool> {
    private typealias Command = Program.Command
    private typealias Flag = Program.Flag

    /// Where the second column of options begins.
    private static var gap: Int { 28 }

    /// What `-h` prints: one line a flag.
    static func short(for command: Program.Command, isNamed: Bool) -> String {
        var parts = [usage(for: command, isNamed: isNamed), summary(of: command, isNamed: isNamed)]
        if !isNamed { parts.append(commandList) }
        parts.append(options(of: command) { $0.definition.summary })
        parts.append(
            isNamed
                ? "See \(Program.name) \(command.rawValue) --help for more." : "See \(Program.name) --help for more.")
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// What `--help` prints: everything.
    static func long(for command: Program.Command, isNamed: Bool) -> String {
        var parts = [usage(for: command, isNamed: isNamed), summary(of: command, isNamed: isNamed)]
        let description = isNamed ? command.definition.description : Program.description
        parts += description.map { TextLayout.wrap($0, indent: 0) }
        if !isNamed { parts.append(commandList) }
        parts.append(options(of: command) { Manual<Program>.paragraph(on: $0) })
        parts.append(environment(of: command))
        parts.append(exitCodes)
        parts.append(examples(of: command))
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func summary(of command: Program.Command, isNamed: Bool) -> String {
        capitalized(isNamed ? command.definition.summary : Program.summary)
    }

    /// The lines that lead every help.
    static func usage(for command: Program.Command, isNamed: Bool) -> String {
        let tail = command.definition.synopsis
        guard !isNamed else { return "usage: \(Program.name) \(command.rawValue) \(tail)" }
        return
            "usage: \(Program.name) [\(Program.defaultCommand.rawValue)] \(tail)\n       \(Program.name) COMMAND [OPTION]..."
    }

    private static var commandList: String {
        let longest = Command.allCases.map(\.rawValue.count).max() ?? 0
        return "Commands:\n"
            + TextLayout.columns(
                Command.allCases.map { ($0.rawValue, $0.definition.summary) }, gap: max(12, longest + 4))
    }

    private static func options(of command: Command, text: (Flag) -> String) -> String {
        Flag.Section.allCases.compactMap { section in
            let flags = Program.flags(of: command).filter { $0.definition.section == section }
            guard !flags.isEmpty else { return nil }
            return "\(section.rawValue):\n"
                + TextLayout.columns(
                    flags.map { (Manual<Program>.spelling(of: $0, indented: true), text($0)) }, gap: gap)
        }.joined(separator: "\n\n")
    }

    private static func environment(of command: Command) -> String {
        let variables = Program.flags(of: command).compactMap { flag in
            Program.environmentVariable(of: flag).map { ($0, "for \(flag.spelling)") }
        }
        return "Environment:\n"
            + TextLayout.columns(variables + Manual<Program>.otherVariables, gap: 36) + "\n"
            + TextLayout.wrap(Manual<Program>.environmentRule, indent: 2)
    }

    private static var exitCodes: String {
        "Exit codes:\n" + TextLayout.columns(Program.exitCodes.map { (String($0.code), $0.meaning) }, gap: 8)
    }

    private static func examples(of command: Command) -> String {
        "Examples:\n"
            + command.definition.examples.map { "  \($0.purpose):\n    \($0.line)" }.joined(separator: "\n")
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}

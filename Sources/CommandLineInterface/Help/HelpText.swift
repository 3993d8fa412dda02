/// The help for a terminal, generated from the tables of commands and flags.
struct HelpText<Program: ToolDefinition> {
    private typealias Command = Program.Command
    private typealias Flag = Program.Flag

    /// The column in which the descriptions of options start.
    private static var gap: Int { 28 }

    let layout: TextLayout

    /// The output of `-h`: a summary with one line per flag.
    func short(for command: Program.Command, isNamed: Bool) -> String {
        var parts = [Self.usage(for: command, isNamed: isNamed), Self.summary(of: command, isNamed: isNamed)]
        if !isNamed { parts.append(commandList) }
        parts.append(options(of: command) { $0.definition.summary })
        parts.append(
            isNamed
                ? "See \(Program.name) \(command.name) --help for details." : "See \(Program.name) --help for details.")
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The output of `--help`: all details.
    func long(for command: Program.Command, isNamed: Bool) -> String {
        var parts = [Self.usage(for: command, isNamed: isNamed), Self.summary(of: command, isNamed: isNamed)]
        let description = isNamed ? command.definition.description : Program.description
        parts += description.map { layout.wrap($0, indent: 0) }
        if !isNamed { parts.append(commandList) }
        parts.append(options(of: command) { HelpContent<Program>.paragraph(on: $0) })
        parts.append(environment(of: command))
        parts.append(exitCodes)
        parts.append(Self.examples(of: command))
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func summary(of command: Program.Command, isNamed: Bool) -> String {
        HelpContent<Program>.sentence(isNamed ? command.definition.summary : Program.summary)
    }

    /// The usage lines at the top.
    static func usage(for command: Program.Command, isNamed: Bool) -> String {
        let tail = command.definition.synopsis
        guard !isNamed else { return "usage: \(Program.name) \(command.name) \(tail)" }
        return
            "usage: \(Program.name) [\(Program.defaultCommand.name)] \(tail)\n"
            + "       \(Program.name) COMMAND [OPTION]..."
    }

    private var commandList: String {
        let longest = Command.allCases.map(\.name.count).max() ?? 0
        return "Commands:\n"
            + layout.columns(
                Command.allCases.map { ($0.name, $0.definition.summary) }, gap: max(12, longest + 4))
    }

    private func options(of command: Command, text: (Flag) -> String) -> String {
        Self.sections(of: command).map { section, flags in
            "\(section.rawValue):\n"
                + layout.columns(
                    flags.map { (HelpContent<Program>.spelling(of: $0, indented: true), text($0)) }, gap: Self.gap)
        }.joined(separator: "\n\n")
    }

    /// The sections with the flags of a command: first those that no other command has.
    private static func sections(of command: Command) -> [(Flag.Section, [Flag])] {
        let flags = Dictionary(grouping: Program.flags(of: command)) { $0.definition.section }
        let sections = Flag.Section.allCases.compactMap { section in flags[section].map { (section, $0) } }
        func isOwn(_ flags: [Flag]) -> Bool { flags.allSatisfy { $0.commands == [command] } }
        return sections.filter { isOwn($0.1) } + sections.filter { !isOwn($0.1) }
    }

    private func environment(of command: Command) -> String {
        let variables = Program.flags(of: command).compactMap { flag in
            Program.environmentVariable(of: flag).map { ($0, "sets \(flag.spelling)") }
        }
        return "Environment:\n"
            + layout.columns(variables + HelpContent<Program>.otherVariables, gap: 36) + "\n"
            + layout.wrap(HelpContent<Program>.environmentRule, indent: 2)
    }

    private var exitCodes: String {
        "Exit codes:\n" + layout.columns(Program.exitCodes.map { (String($0.code), $0.meaning) }, gap: 8)
    }

    private static func examples(of command: Command) -> String {
        "Examples:\n"
            + command.definition.examples.map { "  \($0.purpose):\n    \($0.line)" }.joined(separator: "\n")
    }
}

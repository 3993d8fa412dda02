/// Help for a terminal, derived from the tables of commands and flags.
enum HelpText {
    /// Where the second column of options begins.
    private static let gap = 28

    /// What `-h` prints: one line a flag.
    static func short(for command: Command, isNamed: Bool) -> String {
        let definition = command.definition
        var parts = [usage(for: command, isNamed: isNamed), capitalized(definition.summary)]
        if !isNamed { parts.append(commandList) }
        parts.append(options(of: command) { $0.definition.summary })
        parts.append(isNamed ? "See verify-receipt \(command) --help for more." : "See verify-receipt --help for more.")
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// What `--help` prints: everything.
    static func long(for command: Command, isNamed: Bool) -> String {
        let definition = command.definition
        var parts = [usage(for: command, isNamed: isNamed), capitalized(definition.summary)]
        parts += definition.description.map { TextLayout.wrap($0, indent: 0) }
        if !isNamed { parts.append(commandList) }
        parts.append(options(of: command) { Manual.paragraph(on: $0) })
        parts.append(environment(of: command))
        parts.append(exitCodes)
        parts.append(examples(of: command))
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The lines that lead every help.
    static func usage(for command: Command, isNamed: Bool) -> String {
        let tail = "[OPTION]... \(command.definition.operands)"
        guard !isNamed else { return "usage: verify-receipt \(command) \(tail)" }
        return "usage: verify-receipt [verify] \(tail)\n       verify-receipt COMMAND [OPTION]..."
    }

    private static var commandList: String {
        "Commands:\n"
            + TextLayout.columns(Command.allCases.map { ($0.rawValue, $0.definition.summary) }, gap: 12)
    }

    private static func options(of command: Command, text: (Flag) -> String) -> String {
        FlagDefinition.Section.allCases.compactMap { section in
            let flags = command.flags.filter { $0.definition.section == section }
            guard !flags.isEmpty else { return nil }
            return "\(section.rawValue):\n"
                + TextLayout.columns(flags.map { (Manual.spelling(of: $0, indented: true), text($0)) }, gap: gap)
        }.joined(separator: "\n\n")
    }

    private static func environment(of command: Command) -> String {
        let variables = command.flags.compactMap { flag in flag.environmentVariable.map { ($0, "for \(flag.spelling)") }
        }
        return "Environment:\n"
            + TextLayout.columns(variables + Manual.otherVariables, gap: 36) + "\n"
            + TextLayout.wrap(Manual.environmentRule, indent: 2)
    }

    private static var exitCodes: String {
        "Exit codes:\n" + TextLayout.columns(Manual.exitCodes.map { (String($0.code), $0.meaning) }, gap: 8)
    }

    private static func examples(of command: Command) -> String {
        "Examples:\n"
            + command.definition.examples.map { "  \($0.purpose):\n    \($0.line)" }.joined(separator: "\n")
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}

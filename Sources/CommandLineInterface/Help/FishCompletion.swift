/// The completion script for fish.
enum FishCompletion<Program: ToolDefinition> {
    private typealias Command = Program.Command
    private typealias Flag = Program.Flag

    static var text: String {
        var lines = [
            "# fish completion for \(Program.name); save it as ~/.config/fish/completions/\(Program.name).fish",
            "set -l commands \(Command.allCases.map(\.name).joined(separator: " "))",
        ]
        for command in Command.allCases {
            lines.append(
                "complete -c \(Program.name) -n \"not __fish_seen_subcommand_from $commands\" "
                    + "-a \(command.name) -d '\(escape(command.definition.summary))'"
            )
            let actions = command.definition.actions
            guard !actions.isEmpty else { continue }
            lines.append(
                "complete -c \(Program.name) -n '__fish_seen_subcommand_from \(command.name)' "
                    + "-a '\(actions.joined(separator: " "))'")
        }
        lines.append(
            "complete -c \(Program.name) -n \"not __fish_seen_subcommand_from help $commands\" -a help -d 'print help'")
        lines += Flag.allCases.flatMap(self.lines)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(for flag: Flag) -> [String] {
        let definition = flag.definition
        var parts = ["complete -c \(Program.name)"]
        if flag.commands.count < Command.allCases.count {
            parts.append(condition(flag.commands))
        }
        let beginning = parts.joined(separator: " ")
        if let short = definition.short { parts.append("-s \(short)") }
        parts.append("-l \(flag.name)")
        if let value = definition.value {
            switch value.completion {
            case .nothing: parts.append("-x")
            case .files: parts.append("-r -F")
            case .folders: parts.append("-x -a '(__fish_complete_directories)'")
            case .words(let words): parts.append("-x -a '\(words.joined(separator: " "))'")
            case .list(let words):
                let list = words.joined(separator: ",")
                parts.append("-x -a '(__fish_complete_list , \"string split , \(list)\")'")
            }
        }
        parts.append("-d '\(escape(definition.summary))'")
        let line = parts.joined(separator: " ")
        guard flag.negatedSpelling != nil else { return [line] }
        return [line, "\(beginning) -l no-\(flag.name) -d 'turn \(flag.spelling) off'"]
    }

    /// The condition under which a flag is completed; without a command, the default command applies.
    private static func condition(_ commands: [Command]) -> String {
        let seen = "__fish_seen_subcommand_from \(commands.map(\.name).joined(separator: " "))"
        guard commands.contains(Program.defaultCommand) else { return "-n '\(seen)'" }
        return "-n \"\(seen); or not __fish_seen_subcommand_from $commands\""
    }

    private static func escape(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
    }
}

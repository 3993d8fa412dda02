/// The manual page, in roff.
enum ManualPage<Program: ToolDefinition> {
    private typealias Command = Program.Command
    private typealias Flag = Program.Flag

    static var text: String {
        var lines = [
            ".TH \(Program.name.uppercased()) 1 \"\" \"\(Program.name) \(Program.version)\" \"User Commands\"",
            ".SH NAME", escape(Program.name) + " \\- " + escape(Program.summary),
            ".SH SYNOPSIS",
        ]
        for command in Command.allCases {
            let name = command == Program.defaultCommand ? "[\(command.name)]" : command.name
            lines += [
                ".B " + escape(Program.name), escape("\(name) \(command.definition.synopsis)"), ".br",
            ]
        }
        lines.append(".SH DESCRIPTION")
        lines += paragraphs(Program.description)
        lines.append(".SH EXAMPLES")
        for example in Command.allCases.flatMap(\.definition.examples) {
            lines += [".TP", escape(example.purpose), ".EX", escape(example.line), ".EE"]
        }
        lines.append(".SH COMMANDS")
        for command in Command.allCases {
            let operands = command.definition.operands
            lines += [".SS " + escape(operands.isEmpty ? command.name : "\(command.name) \(operands)")]
            lines += paragraphs([HelpContent<Program>.sentence(command.definition.summary)])
            // The page starts with this description already.
            guard command.definition.description != Program.description else { continue }
            lines += paragraphs(command.definition.description)
        }
        lines.append(".SH OPTIONS")
        for section in Flag.Section.allCases {
            lines.append(".SS " + escape(section.rawValue))
            for flag in Flag.allCases where flag.definition.section == section { lines += entry(flag) }
        }
        lines.append(".SH ENVIRONMENT")
        for flag in Flag.allCases {
            guard let name = Program.environmentVariable(of: flag) else { continue }
            lines += [".TP", ".B " + escape(name), escape("sets \(flag.spelling)")]
        }
        for (name, meaning) in HelpContent<Program>.otherVariables {
            lines += [".TP", ".B " + escape(name), escape(meaning)]
        }
        lines += [".PP", escape(HelpContent<Program>.environmentRule)]
        lines.append(".SH \"JSON OUTPUT\"")
        lines += paragraphs([HelpContent<Program>.schemaRule])
        for schema in Program.Schema.allCases {
            lines += [".TP", ".B " + escape(schema.rawValue), escape(schema.meaning)]
        }
        lines.append(".SH \"EXIT STATUS\"")
        for (code, meaning) in Program.exitCodes { lines += [".TP", ".B \(code)", escape(meaning)] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entry(_ flag: Flag) -> [String] {
        var text = HelpContent<Program>.paragraph(on: flag)
        if flag.commands.count < Command.allCases.count {
            text += " Commands: \(flag.commands.map(\.name).joined(separator: ", "))."
        }
        return [".TP", ".B " + escape(HelpContent<Program>.spelling(of: flag, indented: false)), escape(text)]
    }

    private static func paragraphs(_ texts: [String]) -> [String] {
        texts.flatMap { [".PP", escape($0)] }
    }

    /// Escapes what roff would interpret: backslashes, hyphens, and a control character at the start of a line.
    private static func escape(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
    }
}

/// The manual page in roff, for `man`.
enum ManualPage<Program: Tool> {
    private typealias Command = Program.Command
    private typealias Flag = Program.Flag

    static var text: String {
        var lines = [
            ".TH \(Program.name.uppercased()) 1 \"\" \"\(Program.name) \(Program.version)\" \"User Commands\"",
            ".SH NAME", escape(Program.name) + " \\- " + escape(Program.summary),
            ".SH SYNOPSIS",
        ]
        for command in Command.allCases {
            let name = command == Program.defaultCommand ? "[\(command.rawValue)]" : command.rawValue
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
            lines += [".SS " + escape(operands.isEmpty ? command.rawValue : "\(command.rawValue) \(operands)")]
            lines += paragraphs([
                command.definition.summary.prefix(1).uppercased() + command.definition.summary.dropFirst() + "."
            ])
            // What opens the page is not said twice.
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
            lines += [".TP", ".B " + escape(name), escape("for \(flag.spelling)")]
        }
        for (name, meaning) in Manual<Program>.otherVariables {
            lines += [".TP", ".B " + escape(name), escape(meaning)]
        }
        lines += [".PP", escape(Manual<Program>.environmentRule)]
        lines.append(".SH \"EXIT STATUS\"")
        for (code, meaning) in Program.exitCodes { lines += [".TP", ".B \(code)", escape(meaning)] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entry(_ flag: Flag) -> [String] {
        var text = Manual<Program>.paragraph(on: flag)
        if flag.commands.count < Command.allCases.count {
            text += " For \(flag.commands.map(\.rawValue).joined(separator: ", "))."
        }
        return [".TP", ".B " + escape(Manual<Program>.spelling(of: flag, indented: false)), escape(text)]
    }

    private static func paragraphs(_ texts: [String]) -> [String] {
        texts.flatMap { [".PP", escape($0)] }
    }

    /// Keeps text from being read as roff: a backslash, a hyphen that must stay one, and a control character in front.
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

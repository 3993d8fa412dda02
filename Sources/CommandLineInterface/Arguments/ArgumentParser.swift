/// Parses a command line by the GNU conventions.
///
/// The parser accepts `--flag value`, `--flag=value`, `-f value`, `-fvalue` and clusters of switches such as `-qs`.
/// Flags and operands can be mixed, `--` ends the flags, and `-` is an operand. A flag takes at most one value and
/// cannot be abbreviated, so a script keeps its meaning when a later version adds flags. As the first operand, `help`
/// and `version` mean the flags of these names, and `help` takes the name of a command.
package struct ArgumentParser<Program: ToolDefinition> {
    package typealias Arguments = ToolArguments<Program>
    private typealias Flag = Program.Flag

    private var rest: ArraySlice<String>
    private var result = Arguments()
    private var isFirstOperand = true
    private var isHelpNamed = false

    private init(_ arguments: [String]) {
        rest = arguments[...]
    }

    /// Parses the arguments that follow the program's name, and takes flags that they do not set from the environment.
    package static func parse(
        _ arguments: [String],
        environment: (String) -> String? = { _ in nil }
    ) throws(UsageError) -> Arguments {
        var parser = ArgumentParser(arguments)
        try parser.readAll()
        try parser.checkHelp()
        if parser.result.help != nil { return parser.result }
        try parser.checkCommands()
        try parser.readEnvironment(environment)
        try parser.checkWords()
        return parser.result
    }

    // MARK: Tokens

    private mutating func readAll() throws(UsageError) {
        while let argument = rest.popFirst() {
            if argument == "--" {
                result.operands += rest
                return
            } else if argument.hasPrefix("--") {
                try readLong(argument.dropFirst(2))
            } else if argument.hasPrefix("-"), argument != "-" {
                try readCluster(argument.dropFirst())
            } else {
                readOperand(argument)
            }
        }
    }

    private mutating func readOperand(_ argument: String) {
        defer { isFirstOperand = false }
        if isFirstOperand || isHelpNamed && !result.isCommandNamed, let command = Program.Command.named(argument) {
            result.command = command
            result.isCommandNamed = true
        } else if isFirstOperand, argument == Flag.help.name {
            result.help = .long
            isHelpNamed = true
        } else if isFirstOperand, argument == Flag.version.name {
            result.set(.version, to: true)
        } else {
            result.operands.append(argument)
        }
    }

    private mutating func readLong(_ text: Substring) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let attached = parts.count == 2 ? String(parts[1]) : nil
        if let flag = flag(named: name) {
            try read(flag, attached: attached, as: flag.spelling, help: .long)
        } else if name.hasPrefix("no-"), let flag = flag(named: String(name.dropFirst(3))),
            flag.definition.isNegatable
        {
            guard attached == nil else { throw UsageError("--\(name) takes no value") }
            result.set(flag, to: false)
        } else {
            throw UsageError(
                "unknown option --\(name)",
                hint: WordSearch.nearest(to: name, in: Flag.allCases.map(\.name)).map {
                    "did you mean --\($0)" as Escaped
                }
                    ?? seeHelp
            )
        }
    }

    /// Returns the flag with a long name; the command chooses between flags of one name.
    private func flag(named name: String) -> Flag? {
        let flags = Flag.allCases.filter { $0.name == name }
        guard flags.count > 1 else { return flags.first }
        // The command can follow its flags.
        let command = result.isCommandNamed ? result.command : rest.lazy.compactMap(Program.Command.named).first
        return flags.first { command.map($0.commands.contains) ?? false } ?? flags.first
    }

    private mutating func readCluster(_ text: Substring) throws(UsageError) {
        var letters = text
        while let letter = letters.popFirst() {
            guard let flag = Flag.short(letter) else {
                throw UsageError("unknown option -\(String(letter))", hint: seeHelp)
            }
            if flag.definition.value != nil {
                let attached = letters.isEmpty ? nil : String(letters)
                return try read(flag, attached: attached, as: "-\(letter)", help: .short)
            }
            try read(flag, attached: nil, as: "-\(letter)", help: .short)
        }
    }

    private mutating func read(
        _ flag: Flag,
        attached: String?,
        as spelling: String,
        help: Arguments.Help
    ) throws(UsageError) {
        guard let placeholder = flag.definition.value?.name else {
            guard attached == nil else { throw UsageError("\(spelling) takes no value") }
            if flag == .help { result.help = help }
            return result.set(flag, to: true)
        }
        guard let value = attached ?? rest.popFirst() else {
            throw UsageError("\(spelling) needs a value", hint: "write \(flag.spelling)=\(placeholder)")
        }
        guard !value.isEmpty else { throw UsageError("the value of \(spelling) is empty") }
        if !flag.definition.isRepeatable, result.mentions(flag) {
            throw UsageError("\(spelling) is given twice", hint: "it takes one \(placeholder)")
        }
        result.append(value, to: flag)
    }

    // MARK: Checks

    private var seeHelp: Escaped {
        result.isCommandNamed ? "see \(Program.name) \(result.command.name) --help" : "see \(Program.name) --help"
    }

    /// Checks that `help` is followed by nothing but a command.
    private func checkHelp() throws(UsageError) {
        guard isHelpNamed, let operand = result.operands.first else { return }
        let names = Program.Command.allCases.map(\.name)
        throw UsageError(
            "help does not take \(Escaped(operand).quoted)",
            hint: WordSearch.nearest(to: operand, in: names).map { "did you mean \($0)" }
                ?? "it takes \(names.joined(separator: ", "))")
    }

    private func checkCommands() throws(UsageError) {
        for flag in result.mentioned where !flag.commands.contains(result.command) {
            throw UsageError(
                "\(flag.spelling) cannot be used with \(result.command.name)",
                hint: "it is an option of \(flag.commands.map(\.name).joined(separator: ", "))"
            )
        }
    }

    private mutating func readEnvironment(_ environment: (String) -> String?) throws(UsageError) {
        for flag in Program.flags(of: result.command) where !result.mentions(flag) || flag.definition.addsToVariable {
            guard let name = Program.environmentVariable(of: flag), let text = environment(name), !text.isEmpty else {
                continue
            }
            if result.mentions(flag) {
                for value in text.split(separator: ",") { result.add(String(value), to: flag) }
                continue
            }
            result.markAsEnvironment(flag)
            if flag.definition.value == nil {
                switch text.lowercased() {
                case "1", "true", "yes": result.set(flag, to: true)
                case "0", "false", "no": result.set(flag, to: false)
                default: throw UsageError("\(name) must be 1 or 0, not \(Escaped(text).quoted)")
                }
            } else if flag.definition.isRepeatable {
                for value in text.split(separator: ",") { result.append(String(value), to: flag) }
            } else {
                result.append(text, to: flag)
            }
        }
    }

    /// Checks values against the words that a flag takes, ignoring case.
    private func checkWords() throws(UsageError) {
        for flag in result.mentioned {
            guard let words = flag.definition.acceptedWords else { continue }
            for value in result.values(of: flag) where WordSearch.match(value, in: words) == nil {
                throw UsageError(
                    "\(result.spelling(of: flag)) does not take \(Escaped(value).quoted)",
                    hint: WordSearch.nearest(to: value, in: words).map { "did you mean \($0)" }
                        ?? "it takes \(words.joined(separator: ", "))"
                )
            }
        }
    }
}

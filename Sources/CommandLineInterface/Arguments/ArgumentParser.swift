/// Reads a command line in the manner of GNU.
///
/// `--flag value`, `--flag=value`, `-f value`, `-fvalue` and clusters of switches (`-qs`) are understood, options and
/// operands may be mixed, `--` ends the options and `-` is an operand. No flag takes more than one value and no flag may
/// be abbreviated, so that a script keeps its meaning when flags are added.
package struct ArgumentParser<Program: Tool> {
    package typealias Arguments = ToolArguments<Program>
    private typealias Flag = Program.Flag

    private var rest: ArraySlice<String>
    private var result = Arguments()
    private var isFirstOperand = true

    private init(_ arguments: [String]) {
        rest = arguments[...]
    }

    /// Parses what stands after the program's name; the environment fills in for flags that are not given.
    package static func parse(
        _ arguments: [String],
        environment: (String) -> String? = { _ in nil }
    ) throws(UsageError) -> Arguments {
        var parser = ArgumentParser(arguments)
        try parser.readAll()
        if parser.result.help != nil { return parser.result }
        try parser.checkApplicability()
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
        if isFirstOperand, let command = Program.Command(rawValue: argument) {
            result.command = command
            result.isCommandNamed = true
        } else {
            result.operands.append(argument)
        }
    }

    private mutating func readLong(_ text: Substring) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let attached = parts.count == 2 ? String(parts[1]) : nil
        if let flag = Flag(rawValue: name) {
            try take(flag, attached: attached, as: flag.spelling, help: .long)
        } else if name.hasPrefix("no-"), let flag = Flag(rawValue: String(name.dropFirst(3))),
            flag.definition.isNegatable
        {
            guard attached == nil else { throw UsageError("--\(name) takes no value") }
            result.set(flag, to: false)
        } else {
            let known = Flag.allCases.map(\.rawValue)
            throw UsageError(
                "unknown option --\(Escaped(name))",
                hint: Spelling.nearest(to: name, in: known).map { "did you mean --\($0)" } ?? seeHelp
            )
        }
    }

    private mutating func readCluster(_ text: Substring) throws(UsageError) {
        var letters = text
        while let letter = letters.popFirst() {
            guard let flag = Flag.short(letter) else {
                throw UsageError("unknown option -\(Escaped(String(letter)))", hint: seeHelp)
            }
            if flag.definition.value != nil {
                let attached = letters.isEmpty ? nil : String(letters)
                return try take(flag, attached: attached, as: "-\(letter)", help: .short)
            }
            try take(flag, attached: nil, as: "-\(letter)", help: .short)
        }
    }

    private mutating func take(
        _ flag: Flag,
        attached: String?,
        as spelling: String,
        help: Arguments.Help
    ) throws(UsageError) {
        guard let name = flag.definition.value else {
            guard attached == nil else { throw UsageError("\(spelling) takes no value") }
            if flag == .help { result.help = help }
            return result.set(flag, to: true)
        }
        guard let value = attached ?? rest.popFirst() else {
            throw UsageError("\(spelling) needs a value", hint: "write \(flag.spelling)=\(name)")
        }
        guard !value.isEmpty else { throw UsageError("\(spelling) needs a value that is not empty") }
        if !flag.definition.isRepeatable, result.mentions(flag) {
            throw UsageError("\(spelling) is given twice", hint: "it takes one \(name)")
        }
        result.append(value, to: flag)
    }

    // MARK: Checks

    private var seeHelp: String {
        result.isCommandNamed
            ? "see \(Program.name) \(result.command.rawValue) --help" : "see \(Program.name) --help"
    }

    private func checkApplicability() throws(UsageError) {
        for flag in result.mentioned where !flag.commands.contains(result.command) {
            throw UsageError(
                "\(flag.spelling) does not go with \(result.command.rawValue)",
                hint: "it goes with \(flag.commands.map(\.rawValue).joined(separator: ", "))"
            )
        }
    }

    private mutating func readEnvironment(_ environment: (String) -> String?) throws(UsageError) {
        for flag in Program.flags(of: result.command) where !result.mentions(flag) {
            guard let name = Program.environmentVariable(of: flag), let text = environment(name), !text.isEmpty else {
                continue
            }
            result.markAsEnvironment(flag)
            if flag.definition.value == nil {
                switch text.lowercased() {
                case "1", "true", "yes": result.set(flag, to: true)
                case "0", "false", "no": result.set(flag, to: false)
                default: throw UsageError("\(name) is \(Escaped(text).quoted), which is neither 1 nor 0")
                }
            } else if flag.definition.isRepeatable {
                for value in text.split(separator: ",") { result.append(String(value), to: flag) }
            } else {
                result.append(text, to: flag)
            }
        }
    }

    /// Values from a fixed list are accepted in any case.
    private func checkWords() throws(UsageError) {
        for flag in result.mentioned {
            guard let words = flag.definition.acceptedWords else { continue }
            for value in result.values(of: flag) where Spelling.match(value, in: words) == nil {
                throw UsageError(
                    "\(flag.spelling) does not take \(Escaped(value).quoted)",
                    hint: Spelling.nearest(to: value, in: words).map { "did you mean \($0)" }
                        ?? "it takes \(words.joined(separator: ", "))"
                )
            }
        }
    }
}

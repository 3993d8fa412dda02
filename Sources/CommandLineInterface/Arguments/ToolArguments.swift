/// A parsed command line: the command, its flags and its operands.
package struct ToolArguments<Program: ToolDefinition>: Sendable, Equatable {
    /// The help that `-h` or `--help` requests.
    package enum Help: Sendable, Equatable {
        case short
        case long
    }

    package typealias Command = Program.Command
    package typealias Flag = Program.Flag

    package var command: Command
    /// Whether the command line names the command, instead of leaving it to the default.
    package var isCommandNamed = false
    package var operands: [String] = []
    /// The requested help, if any.
    package var help: Help?
    private var values: [Flag: [String]] = [:]
    private var switches: [Flag: Bool] = [:]
    private var flagsFromEnvironment: Set<Flag> = []
    /// The number of values that the environment has added to those on the command line, which come first.
    private var addedValues: [Flag: Int] = [:]

    package init(command: Command = Program.defaultCommand) {
        self.command = command
    }

    // MARK: Reading

    /// Whether a switch is on.
    package func has(_ flag: Flag) -> Bool { switches[flag] ?? false }

    /// The value of a flag; the last one if there are several.
    package func value(of flag: Flag) -> String? { values[flag]?.last }

    /// All values of a repeatable flag, in order.
    package func values(of flag: Flag) -> [String] { values[flag] ?? [] }

    /// All values of a repeatable flag, each with what has set it: the flag, or its variable.
    package func spelledValues(of flag: Flag) -> [(value: String, spelling: String)] {
        let values = values(of: flag)
        let firstAdded = values.count - (addedValues[flag] ?? 0)
        return values.enumerated().map { index, value in
            let variable = index < firstAdded ? nil : Program.environmentVariable(of: flag)
            return (value, variable ?? spelling(of: flag))
        }
    }

    /// Whether a flag is set, on the command line or by the environment.
    package func mentions(_ flag: Flag) -> Bool { values[flag] != nil || switches[flag] != nil }

    /// Whether a flag is set on the command line, not by the environment.
    package func isOnCommandLine(_ flag: Flag) -> Bool { mentions(flag) && !flagsFromEnvironment.contains(flag) }

    /// A flag as it was given: as on the command line, or the environment variable that has set it.
    package func spelling(of flag: Flag) -> String { variable(of: flag) ?? flag.spelling }

    /// The environment variable that has set a flag; nil if the command line has set it, or nothing.
    package func variable(of flag: Flag) -> String? {
        flagsFromEnvironment.contains(flag) ? Program.environmentVariable(of: flag) : nil
    }

    /// The value of a flag as a number of at least 1.
    package func positiveNumber(of flag: Flag) throws(UsageError) -> Int? {
        guard let text = value(of: flag) else { return nil }
        guard let number = Int(text), number >= 1 else {
            throw UsageError("\(spelling(of: flag)) takes a whole number of at least 1, not \(Escaped(text).quoted)")
        }
        return number
    }

    /// Whether a command is to be run, instead of printing help, the version or generated text.
    package func runs(_ command: Command) -> Bool {
        self.command == command && help == nil && !has(.version) && !mentions(.generate)
    }

    /// The paths that a run may read: standard input, the operands, and what the values of flags name: files, and files
    /// in folders.
    ///
    /// An operand or a value need not be the path of a file.
    package var pathsOfInputs: [String] {
        var paths = ["-"] + operands
        for flag in Flag.allCases {
            guard flag.definition.value?.isInputFile ?? false else { continue }
            for value in values(of: flag) {
                paths.append(value)
                // Such as PACKAGE=FILE.
                if let mark = value.firstIndex(of: "=") { paths.append(String(value[value.index(after: mark)...])) }
            }
        }
        for flag in Flag.allCases {
            for name in flag.definition.value?.fileNames ?? [] { paths += values(of: flag).map { "\($0)/\(name)" } }
        }
        return paths
    }

    /// The flags that are set.
    package var mentioned: [Flag] { Flag.allCases.filter(mentions) }

    // MARK: Writing

    package mutating func append(_ value: String, to flag: Flag) {
        values[flag, default: []].append(value)
    }

    package mutating func set(_ flag: Flag, to isOn: Bool) {
        switches[flag] = isOn
    }

    package mutating func markAsEnvironment(_ flag: Flag) {
        flagsFromEnvironment.insert(flag)
    }

    /// Adds a value of the environment to those on the command line.
    package mutating func add(_ value: String, to flag: Flag) {
        append(value, to: flag)
        addedValues[flag, default: 0] += 1
    }
}

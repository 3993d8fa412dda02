/// A command line after parsing: which command, its flags and what it is to work on.
package struct ToolArguments<Program: Tool>: Sendable, Equatable {
    /// What `-h` or `--help` asked for.
    package enum Help: Sendable, Equatable {
        case short
        case long
    }

    package typealias Command = Program.Command
    package typealias Flag = Program.Flag

    package var command: Command
    /// Whether the command was named, not assumed.
    package var isCommandNamed = false
    package var operands: [String] = []
    /// Help that was asked for instead of work.
    package var help: Help?
    private var values: [Flag: [String]] = [:]
    private var switches: [Flag: Bool] = [:]
    private var flagsOfEnvironment: Set<Flag> = []

    package init(command: Command = Program.defaultCommand) {
        self.command = command
    }

    // MARK: Reading

    /// Whether a switch is on.
    package func has(_ flag: Flag) -> Bool { switches[flag] ?? false }

    /// The value of a flag; the last one when it was given more than once.
    package func value(of flag: Flag) -> String? { values[flag]?.last }

    /// All values of a repeatable flag, in order.
    package func values(of flag: Flag) -> [String] { values[flag] ?? [] }

    /// Whether the flag was given at all.
    package func mentions(_ flag: Flag) -> Bool { values[flag] != nil || switches[flag] != nil }

    /// Whether the flag was given by words, not by a variable of the environment.
    package func isOnCommandLine(_ flag: Flag) -> Bool { mentions(flag) && !flagsOfEnvironment.contains(flag) }

    /// The value of a flag as a number of at least 1.
    package func positiveNumber(of flag: Flag) throws(UsageError) -> Int? {
        guard let text = value(of: flag) else { return nil }
        guard let number = Int(text), number >= 1 else {
            throw UsageError("\(flag.spelling) takes a whole number from 1 on, not \(Escaped(text).quoted)")
        }
        return number
    }

    /// Whether this command is to do its work, rather than to be explained.
    package func doesWork(_ command: Command) -> Bool {
        self.command == command && help == nil && !has(.version) && !mentions(.generate)
    }

    // MARK: Filling

    package mutating func append(_ value: String, to flag: Flag) {
        values[flag, default: []].append(value)
    }

    package mutating func set(_ flag: Flag, to isOn: Bool) {
        switches[flag] = isOn
    }

    package mutating func markAsEnvironment(_ flag: Flag) {
        flagsOfEnvironment.insert(flag)
    }

    /// The flags that were given.
    package var mentioned: [Flag] { Flag.allCases.filter(mentions) }
}

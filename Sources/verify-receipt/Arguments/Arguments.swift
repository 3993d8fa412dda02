/// A command line after parsing: which command, its flags and what it is to work on.
struct Arguments: Sendable, Equatable {
    /// What `-h` or `--help` asked for.
    enum Help: Sendable, Equatable {
        case short
        case long
    }

    var command: Command
    /// Whether the command was named, not assumed.
    var isCommandNamed = false
    var operands: [String] = []
    /// Help that was asked for instead of work.
    var help: Help?
    private var values: [Flag: [String]] = [:]
    private var switches: [Flag: Bool] = [:]
    private var flagsOfEnvironment: Set<Flag> = []

    init(command: Command = .verify) {
        self.command = command
    }

    // MARK: Reading

    /// Whether a switch is on.
    func has(_ flag: Flag) -> Bool { switches[flag] ?? false }

    /// The value of a flag; the last one when it was given more than once.
    func value(of flag: Flag) -> String? { values[flag]?.last }

    /// All values of a repeatable flag, in order.
    func values(of flag: Flag) -> [String] { values[flag] ?? [] }

    /// Whether the flag was given at all.
    func mentions(_ flag: Flag) -> Bool { values[flag] != nil || switches[flag] != nil }

    /// Whether the flag was given by words, not by a variable of the environment.
    func isOnCommandLine(_ flag: Flag) -> Bool { mentions(flag) && !flagsOfEnvironment.contains(flag) }

    /// The value of a flag as a number of at least 1.
    func positiveNumber(of flag: Flag) throws(UsageError) -> Int? {
        guard let text = value(of: flag) else { return nil }
        guard let number = Int(text), number >= 1 else {
            throw UsageError("\(flag.spelling) takes a whole number from 1 on, not \(Escaped(text).quoted)")
        }
        return number
    }

    /// Whether this command is to do its work, rather than to be explained.
    func doesWork(_ command: Command) -> Bool {
        self.command == command && help == nil && !has(.version) && !mentions(.generate)
    }

    // MARK: Filling

    mutating func append(_ value: String, to flag: Flag) {
        values[flag, default: []].append(value)
    }

    mutating func set(_ flag: Flag, to isOn: Bool) {
        switches[flag] = isOn
    }

    mutating func markAsEnvironment(_ flag: Flag) {
        flagsOfEnvironment.insert(flag)
    }

    /// The flags that were given.
    var mentioned: [Flag] { Flag.allCases.filter(mentions) }
}

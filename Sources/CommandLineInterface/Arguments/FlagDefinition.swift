/// What the parser, the help, the manual page and the completions know of a flag.
package struct FlagDefinition<Flag: ToolFlag>: Sendable {
    /// What a shell can offer for the value.
    package enum Completion: Sendable, Equatable {
        case nothing
        case files
        case directories
        case words([String])
    }

    package let section: Flag.Section
    package let commands: [Flag.Command]
    package let short: Character?
    /// The value's name in help; nil for a switch.
    package let value: String?
    package let isRepeatable: Bool
    /// Whether `--no-NAME` takes a switch back, for those that the environment can set.
    package let isNegatable: Bool
    package let readsEnvironment: Bool
    /// The variable's name where it is not made of the tool's name and the flag's.
    package let environmentVariable: String?
    package let completion: Completion
    /// Whether the words of the completion are but examples.
    package let takesOtherWords: Bool
    /// One line, lower case.
    package let summary: String
    /// Sentences that long help adds.
    package let details: String

    package init(
        _ section: Flag.Section,
        _ commands: [Flag.Command],
        short: Character? = nil,
        value: String? = nil,
        isRepeatable: Bool = false,
        isNegatable: Bool = false,
        readsEnvironment: Bool = false,
        environmentVariable: String? = nil,
        completion: Completion = .nothing,
        takesOtherWords: Bool = false,
        summary: String,
        details: String = ""
    ) {
        self.section = section
        self.commands = commands
        self.short = short
        self.value = value
        self.isRepeatable = isRepeatable
        self.isNegatable = isNegatable
        self.readsEnvironment = readsEnvironment
        self.environmentVariable = environmentVariable
        self.completion = completion
        self.takesOtherWords = takesOtherWords
        self.summary = summary
        self.details = details
    }

    /// The words that are accepted as the value; nil when any text is.
    package var acceptedWords: [String]? {
        guard !takesOtherWords, case .words(let words) = completion else { return nil }
        return words
    }
}

/// What the parser, the help, the manual page and the completions know of a flag.
struct FlagDefinition: Sendable {
    /// The headings under which help lists flags.
    enum Section: String, CaseIterable, Sendable {
        case requirements = "What a receipt must say"
        case trust = "What is trusted"
        case many = "Reading and writing many"
        case minting = "Test receipts"
        case output = "Output"
        case general = "General"
    }

    /// What a shell can offer for the value.
    enum Completion: Sendable, Equatable {
        case nothing
        case files
        case directories
        case words([String])
    }

    let section: Section
    let commands: [Command]
    let short: Character?
    /// The value's name in help; nil for a switch.
    let value: String?
    let isRepeatable: Bool
    /// Whether `--no-NAME` takes a switch back, for those that the environment can set.
    let isNegatable: Bool
    let readsEnvironment: Bool
    let completion: Completion
    /// One line, lower case.
    let summary: String
    /// Sentences that long help adds.
    let details: String

    init(
        _ section: Section,
        _ commands: [Command],
        short: Character? = nil,
        value: String? = nil,
        isRepeatable: Bool = false,
        isNegatable: Bool = false,
        readsEnvironment: Bool = false,
        completion: Completion = .nothing,
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
        self.completion = completion
        self.summary = summary
        self.details = details
    }

    /// The words that are accepted as the value; nil when any text is.
    var acceptedWords: [String]? {
        guard case .words(let words) = completion else { return nil }
        return words
    }
}

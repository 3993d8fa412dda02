/// The flags of a tool, as an enum with one case per flag and one row of ``definition`` per case.
///
/// The rows form one `switch` without a `default`, so a flag without a row does not compile. Help lists flags in the
/// order of the cases. Flags of different commands can have the same long name. Every tool has the flags that this
/// protocol requires.
package protocol ToolFlag: CaseIterable, Hashable, Sendable {
    associatedtype Command: ToolCommand
    associatedtype Section: ToolSection

    /// The row of the flag in the table.
    var definition: FlagDefinition<Self> { get }

    static var json: Self { get }
    static var output: Self { get }
    static var color: Self { get }
    static var quiet: Self { get }
    static var help: Self { get }
    static var version: Self { get }
    static var generate: Self { get }
}

/// The sections in which help lists flags; the raw value is the heading.
package protocol ToolSection: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    static var output: Self { get }
    static var general: Self { get }
}

extension ToolFlag {
    /// The long name without hyphens in front: `bundle-id`.
    package var name: String { definition.name }

    /// The flag as it is written on the command line: `--bundle-id`.
    package var spelling: String { "--\(name)" }

    /// The spelling that turns the flag off; nil if there is none.
    package var negatedSpelling: String? { definition.isNegatable ? "--no-\(name)" : nil }

    /// The commands that accept the flag.
    package var commands: [Command] { definition.commands }

    /// Returns the flag with a short name.
    package static func short(_ letter: Character) -> Self? {
        allCases.first { $0.definition.short == letter }
    }
}

/// A row in the table of flags: everything that the parser, the help, the manual page and the completions need.
package struct FlagDefinition<Flag: ToolFlag>: Sendable {
    /// The environment variable that sets a flag.
    package enum Variable: Sendable, Equatable {
        case none
        /// A variable named after the tool and the flag: `VERIFY_RECEIPT_ROOT`.
        case standard
        case named(String)
    }

    package let name: String
    package let short: Character?
    package let section: Flag.Section
    package let commands: [Flag.Command]
    /// The value that the flag takes; nil for a switch.
    package let value: FlagValue?
    package let isRepeatable: Bool
    /// Whether `--no-NAME` turns a switch off that the environment has turned on.
    package let isNegatable: Bool
    package let variable: Variable
    /// Whether values on the command line add to those of the variable, instead of replacing them.
    package let addsToVariable: Bool
    /// One line in lower case, without a full stop.
    package let summary: String
    /// The sentences that long help adds.
    package let details: String

    package init(
        _ name: String,
        short: Character? = nil,
        in section: Flag.Section,
        for commands: [Flag.Command] = Array(Flag.Command.allCases),
        value: FlagValue? = nil,
        isRepeatable: Bool = false,
        isNegatable: Bool = false,
        variable: Variable = .none,
        addsToVariable: Bool = false,
        summary: String,
        details: String = ""
    ) {
        self.name = name
        self.short = short
        self.section = section
        self.commands = commands
        self.value = value
        self.isRepeatable = isRepeatable
        self.isNegatable = isNegatable
        self.variable = variable
        self.addsToVariable = addsToVariable
        self.summary = summary
        self.details = details
    }

    /// The words that are accepted as the value; nil if other values are too.
    package var acceptedWords: [String]? { value?.acceptedWords }
}

/// The value that a flag takes.
package struct FlagValue: Sendable {
    /// What a shell can complete.
    package enum Completion: Sendable, Equatable {
        case nothing
        case files
        case folders
        case words([String])
        /// Words with commas between them.
        case list([String])
    }

    /// The placeholder of the value in help, in upper case.
    package let name: String
    /// What a shell can complete. It is made only on demand: a run needs no suggestions.
    package var completion: Completion { makeCompletion() }
    private let makeCompletion: @Sendable () -> Completion
    /// The words that are accepted, in any case; nil if other values are too.
    package let acceptedWords: [String]?
    /// The names of files that a run reads in the folder that the value names.
    package let fileNames: [String]
    /// Whether the value is a file that a run reads, or text that contains one.
    package let isInputFile: Bool

    private init(
        _ name: String, completion: @autoclosure @escaping @Sendable () -> Completion, acceptedWords: [String]? = nil,
        fileNames: [String] = [], isInputFile: Bool = false
    ) {
        self.name = name
        makeCompletion = completion
        self.acceptedWords = acceptedWords
        self.fileNames = fileNames
        self.isInputFile = isInputFile
    }

    /// Any text; `suggestions` are only completed.
    package static func text(
        _ name: String, suggestions: @autoclosure @escaping @Sendable () -> [String]
    ) -> FlagValue {
        FlagValue(name, completion: .words(suggestions()))
    }

    /// Any text.
    package static func text(_ name: String) -> FlagValue { FlagValue(name, completion: .nothing) }

    /// Words with commas between them; others than the suggestions are accepted too.
    package static func list(
        _ name: String, suggestions: @autoclosure @escaping @Sendable () -> [String]
    ) -> FlagValue {
        FlagValue(name, completion: .list(suggestions()))
    }

    /// A path of a file, or text that contains one.
    package static func file(_ name: String) -> FlagValue {
        FlagValue(name, completion: .files, isInputFile: true)
    }

    /// A path of a file that a run writes or replaces.
    package static func writtenFile(_ name: String) -> FlagValue {
        FlagValue(name, completion: .files)
    }

    /// A path of a folder, in which a run reads the files with these names.
    package static func folder(_ name: String, with fileNames: [String] = []) -> FlagValue {
        FlagValue(name, completion: .folders, fileNames: fileNames)
    }

    /// One of a list of words.
    package static func word(_ name: String, of words: [String]) -> FlagValue {
        FlagValue(name, completion: .words(words), acceptedWords: words)
    }
}

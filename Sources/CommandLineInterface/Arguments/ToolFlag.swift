/// A flag of a command line; the raw value is its long name.
///
/// The cases stand in the order in which help lists them. Some flags every tool has.
package protocol ToolFlag: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    associatedtype Command: ToolCommand
    associatedtype Section: ToolSection

    /// Everything that is said of the flag anywhere.
    var definition: FlagDefinition<Self> { get }

    static var json: Self { get }
    static var output: Self { get }
    static var color: Self { get }
    static var quiet: Self { get }
    static var help: Self { get }
    static var version: Self { get }
    static var generate: Self { get }
}

/// The headings under which help lists flags; the raw value is the heading.
package protocol ToolSection: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    static var output: Self { get }
    static var general: Self { get }
}

extension ToolFlag {
    /// The flag as it is written: `--bundle-id`.
    package var spelling: String { "--\(rawValue)" }

    /// The commands that take this flag.
    package var commands: [Command] { definition.commands }

    /// The flag with this short name.
    package static func short(_ letter: Character) -> Self? {
        allCases.first { $0.definition.short == letter }
    }
}

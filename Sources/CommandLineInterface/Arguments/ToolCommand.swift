/// What a tool can be asked to do; the raw value is the word on the command line.
package protocol ToolCommand: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// Everything that is said of the command anywhere.
    var definition: CommandDefinition { get }
}

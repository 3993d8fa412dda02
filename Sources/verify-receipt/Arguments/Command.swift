/// What the tool can be asked to do; the raw value is the word on the command line.
enum Command: String, CaseIterable, Sendable {
    case verify
    case explain
    case inspect
    case batch
    case keys
    case roots
    case vectors
    case mint

    /// The flags that this command takes, in the order of the table.
    var flags: [Flag] { Flag.allCases.filter { $0.commands.contains(self) } }
}

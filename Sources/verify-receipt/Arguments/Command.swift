internal import CommandLineInterface

/// What the tool can be asked to do; the raw value is the word on the command line.
enum Command: String, ToolCommand {
    case verify
    case explain
    case inspect
    case batch
    case keys
    case roots
    case vectors
    case mint
}

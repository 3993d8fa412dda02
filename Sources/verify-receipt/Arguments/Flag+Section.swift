internal import CommandLineInterface

extension Flag {
    /// The sections of help.
    enum Section: String, ToolSection {
        case requirements = "Receipt requirements"
        case trust = "Trust"
        case batch = "Batch input and output"
        case minting = "Test receipts"
        case output = "Output"
        case general = "General"
    }
}

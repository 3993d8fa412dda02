package import ReceiptTypes

/// The arguments and the output channels of a running command.
package struct ToolSession<Program: ToolDefinition> {
    package let arguments: ToolArguments<Program>
    package let output: Output
    package let messages: Messages
    package let style: TerminalStyle

    /// Whether results are printed as JSON.
    package var writesJSON: Bool { arguments.has(.json) }

    /// Prints the requested help, version, manual page or completions; returns false if none is requested.
    func printInformation() throws(Output.Failure) -> Bool {
        if let help = arguments.help {
            let content = HelpText<Program>(layout: TextLayout(terminalWidth: output.terminalWidth))
            let text =
                help == .short
                ? content.short(for: arguments.command, isNamed: arguments.isCommandNamed)
                : content.long(for: arguments.command, isNamed: arguments.isCommandNamed)
            try output.write(ofData: text)
        } else if arguments.has(.version) {
            try output.writeLine("\(Program.name) \(Program.version)")
        } else if let subject = arguments.value(of: .generate)?.lowercased() {
            switch subject {
            case "complete-bash": try output.write(ofData: BashCompletion<Program>.text)
            case "complete-zsh": try output.write(ofData: ZshCompletion<Program>.text)
            case "complete-fish": try output.write(ofData: FishCompletion<Program>.text)
            default: try output.write(ofData: ManualPage<Program>.text)
            }
        } else {
            return false
        }
        return true
    }
}

extension ToolSession {
    /// Writes an object as a line of JSON that names its schema.
    package func writeLine(_ object: JSONObject, as schema: Program.Schema) throws(Output.Failure) {
        try output.writeLine(ofData: schema.object(object).description)
    }
}

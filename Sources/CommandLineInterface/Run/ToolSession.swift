/// What every command works with.
package struct ToolSession<Program: Tool> {
    package let arguments: ToolArguments<Program>
    package let output: Output
    package let talk: Talk
    package let style: Style

    /// Whether results are for a program.
    package var writesJSON: Bool { arguments.has(.json) }

    /// Answers what needs no command: help, version, manual page and completions; nil when there is work to do.
    func generate() throws(Output.Failure) -> ExitCode? {
        if let help = arguments.help {
            let text =
                help == .short
                ? HelpText<Program>.short(for: arguments.command, isNamed: arguments.isCommandNamed)
                : HelpText<Program>.long(for: arguments.command, isNamed: arguments.isCommandNamed)
            try output.write(text)
        } else if arguments.has(.version) {
            try output.writeLine("\(Program.name) \(Program.version)")
        } else if let subject = arguments.value(of: .generate)?.lowercased() {
            switch subject {
            case "complete-bash": try output.write(BashCompletion<Program>.text)
            case "complete-zsh": try output.write(ZshCompletion<Program>.text)
            case "complete-fish": try output.write(FishCompletion<Program>.text)
            default: try output.write(ManualPage<Program>.text)
            }
        } else {
            return nil
        }
        return .success
    }
}

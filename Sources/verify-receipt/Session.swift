/// What every command works with.
struct Session {
    let arguments: Arguments
    let output: Output
    let talk: Talk
    let style: Style

    /// Whether results are for a program.
    var writesJSON: Bool { arguments.has(.json) }

    /// Answers what needs no command: help, version, manual page and completions; nil when there is work to do.
    func generate() throws(Output.Failure) -> ExitCode? {
        if let help = arguments.help {
            let text =
                help == .short
                ? HelpText.short(for: arguments.command, isNamed: arguments.isCommandNamed)
                : HelpText.long(for: arguments.command, isNamed: arguments.isCommandNamed)
            try output.write(text)
        } else if arguments.has(.version) {
            try output.writeLine("verify-receipt \(Version.current)")
        } else if let subject = arguments.value(of: .generate)?.lowercased() {
            switch subject {
            case "complete-bash": try output.write(BashCompletion.text)
            case "complete-zsh": try output.write(ZshCompletion.text)
            case "complete-fish": try output.write(FishCompletion.text)
            default: try output.write(ManualPage.text)
            }
        } else {
            return nil
        }
        return .verified
    }

    /// Does what the command is for.
    func perform() async throws(Output.Failure) -> ExitCode {
        do {
            switch arguments.command {
            case .verify: return try VerifyCommand(session: self).run()
            case .explain: return try ExplainCommand(session: self).run()
            case .inspect: return try InspectCommand(session: self).run()
            case .batch: return try BatchCommand(session: self).run()
            case .keys: return try KeysCommand(session: self).run()
            case .roots: return try RootsCommand(session: self).run()
            case .vectors: return try VectorsCommand(session: self).run()
            case .mint: return try MintCommand(session: self).run()
            }
        } catch let error as Output.Failure {
            throw error
        } catch let error as UsageError {
            throw .unusable(error)
        } catch {
            throw .unusable(UsageError("\(error)"))
        }
    }
}

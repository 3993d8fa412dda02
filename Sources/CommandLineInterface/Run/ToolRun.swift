/// Runs one command line from its words to its exit code.
package enum ToolRun<Program: Tool> {
    /// Runs the command line of this process, and ends it.
    ///
    /// - Parameter resumptionHint: What to say when a run is interrupted that can be continued.
    package static func main(resumptionHint: StaticString = "") async -> Never {
        Interruption.install(hint: resumptionHint)
        let words = Array(CommandLine.arguments.dropFirst())
        SystemCalls.exit(await run(words, environment: SystemCalls.environment))
    }

    static func run(_ words: [String], environment: (String) -> String?) async -> Int32 {
        let arguments: ToolArguments<Program>
        do throws(UsageError) {
            arguments = try ArgumentParser<Program>.parse(words, environment: environment)
        } catch {
            Talk(name: Program.name, isQuiet: false).error(error)
            return ExitCode.unusable.rawValue
        }
        let talk = Talk(name: Program.name, isQuiet: arguments.has(.quiet))
        do throws(Output.Failure) {
            let output: Output
            do throws(UsageError) {
                let isResumable = Program.resumableCommand.map(arguments.doesWork) ?? false
                output = try Output(path: arguments.value(of: .output), isResumable: isResumable)
            } catch {
                throw .unusable(error)
            }
            let color = arguments.value(of: .color)
            let session = ToolSession(
                arguments: arguments,
                output: output,
                talk: talk,
                style: Style(color, isTerminal: output.isTerminal, environment: environment)
            )
            return try await run(session).rawValue
        } catch {
            switch error {
            // Nobody reads any more: there is nobody to tell.
            case .closed: return ExitCode.success.rawValue
            case .unusable(let error):
                talk.error(error)
                return ExitCode.unusable.rawValue
            }
        }
    }

    private static func run(_ session: ToolSession<Program>) async throws(Output.Failure) -> ExitCode {
        do throws(Output.Failure) {
            var code = try session.generate()
            if code == nil { code = try await perform(session) }
            try session.output.finish()
            return code ?? .success
        } catch {
            session.output.discard()
            throw error
        }
    }

    private static func perform(_ session: ToolSession<Program>) async throws(Output.Failure) -> ExitCode {
        do {
            return try await Program.perform(session)
        } catch let error as Output.Failure {
            throw error
        } catch let error as UsageError {
            throw .unusable(error)
        } catch {
            throw .unusable(UsageError("\(error)"))
        }
    }
}

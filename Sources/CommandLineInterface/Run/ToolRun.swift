/// One run of a tool, from its arguments to its exit code.
package enum ToolRun<Program: Tool> {
    /// Runs the command line of this process and exits.
    ///
    package static func main() async -> Never {
        Interruption.install(name: Program.name)
        let arguments = Array(CommandLine.arguments.dropFirst())
        SystemCalls.exit(await run(arguments, environment: SystemCalls.environment))
    }

    static func run(_ commandLine: [String], environment: (String) -> String?) async -> Int32 {
        let arguments: ToolArguments<Program>
        do throws(UsageError) {
            arguments = try ArgumentParser<Program>.parse(commandLine, environment: environment)
        } catch {
            Messages(name: Program.name, isQuiet: false).error(error)
            return ExitCode.unusable.rawValue
        }
        let messages = Messages(name: Program.name, isQuiet: arguments.has(.quiet))
        do throws(Output.Failure) {
            let output: Output
            do throws(UsageError) {
                let isResumable = Program.resumableCommand.map(arguments.runs) ?? false
                output = try Output(
                    path: arguments.value(of: .output), isResumable: isResumable, isPrivate: Program.writesPrivateFiles,
                    inputs: arguments.pathsOfInputs, protectedPaths: Program.ownPaths(arguments))
            } catch {
                throw .unusable(error)
            }
            let color = arguments.value(of: .color)
            let session = ToolSession(
                arguments: arguments,
                output: output,
                messages: messages,
                style: TerminalStyle(color, isTerminal: output.isTerminal, environment: environment)
            )
            return try await run(session).rawValue
        } catch {
            switch error {
            case .closed: return ExitCode.success.rawValue
            case .unusable(let error):
                messages.error(error)
                return error.code.rawValue
            }
        }
    }

    private static func run(_ session: ToolSession<Program>) async throws(Output.Failure) -> ExitCode {
        do throws(Output.Failure) {
            var code = ExitCode.success
            if try !session.printInformation() { code = try await perform(session) }
            try session.output.finish()
            return code
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
            throw .unusable(UsageError("\(String(describing: error))"))
        }
    }
}

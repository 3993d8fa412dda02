/// One run of a tool, from its arguments to its exit code.
package enum ToolRun<Program: Tool> {
    /// Runs the command line of this process and exits.
    package static func main() async -> Never {
        Interruption.install(name: Program.name)
        SystemCalls.exit(await run(SystemCalls.arguments, environment: SystemCalls.environment))
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
        let output: Output
        do throws(UsageError) {
            let isResumable = Program.resumableCommand.map(arguments.runs) ?? false
            output = try Output(
                path: arguments.value(of: .output), isResumable: isResumable, isPrivate: Program.writesPrivateFiles,
                inputs: arguments.pathsOfInputs, protectedPaths: Program.ownPaths(arguments))
        } catch {
            messages.error(error)
            return error.code.rawValue
        }
        let session = ToolSession(
            arguments: arguments,
            output: output,
            messages: messages,
            style: TerminalStyle(
                arguments.value(of: .color), isTerminal: output.isTerminal, environment: environment)
        )
        do throws(Output.Failure) {
            try await run(session)
        } catch {
            output.discard()
            if case .unusable(let error) = error {
                messages.error(error)
                return error.code.rawValue
            }
        }
        return output.code.rawValue
    }

    /// Runs the command of a session, and records its exit code.
    private static func run(_ session: ToolSession<Program>) async throws(Output.Failure) {
        if try !session.printInformation() { session.output.record(try await perform(session)) }
        try session.output.finish()
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

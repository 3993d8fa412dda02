/// Runs one command line from its words to its exit code.
enum Tool {
    static func run(_ words: [String], environment: (String) -> String?) async -> Int32 {
        let arguments: Arguments
        do throws(UsageError) {
            arguments = try ArgumentParser.parse(words, environment: environment)
        } catch {
            Talk(isQuiet: false).error(error)
            return ExitCode.unusable.rawValue
        }
        let talk = Talk(isQuiet: arguments.has(.quiet))
        do throws(Output.Failure) {
            let output: Output
            do throws(UsageError) {
                output = try Output(path: arguments.value(of: .output), isResumable: arguments.doesWork(.batch))
            } catch {
                throw .unusable(error)
            }
            let session = Session(
                arguments: arguments,
                output: output,
                talk: talk,
                style: Style(arguments, isTerminal: output.isTerminal, environment: environment)
            )
            return try await run(session).rawValue
        } catch {
            switch error {
            // Nobody reads any more: there is nobody to tell.
            case .closed: return ExitCode.verified.rawValue
            case .unusable(let error):
                talk.error(error)
                return ExitCode.unusable.rawValue
            }
        }
    }

    private static func run(_ session: Session) async throws(Output.Failure) -> ExitCode {
        do throws(Output.Failure) {
            var code = try session.generate()
            if code == nil { code = try await session.perform() }
            try session.output.finish()
            return code ?? .verified
        } catch {
            session.output.discard()
            throw error
        }
    }
}

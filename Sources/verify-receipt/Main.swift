/// The command-line tool: arguments in, library, text out.
@main
struct Main {
    static func main() async {
        Interruption.install()
        let words = Array(CommandLine.arguments.dropFirst())
        SystemCalls.exit(await Tool.run(words, environment: SystemCalls.environment))
    }
}

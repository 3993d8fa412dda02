@testable import CommandLineInterface

/// A tool with two commands, to test what all tools have in common.
enum SmallTool: Tool {
    enum Command: String, ToolCommand {
        case show
        case changeAll = "change-all"

        var definition: CommandDefinition {
            switch self {
            case .show: .init(operands: "", summary: "show it", description: ["Shows it."])
            case .changeAll: .init(operands: "FILE", summary: "change it", description: ["Changes it."])
            }
        }
    }

    enum Flag: String, ToolFlag {
        typealias Command = SmallTool.Command

        case place
        case speed
        case when
        case json
        case output
        case color
        case quiet
        case help
        case version
        case generate

        enum Section: String, ToolSection {
            case output = "Output"
            case general = "General"
        }

        var definition: FlagDefinition<Flag> {
            switch self {
            case .place:
                .init(
                    .general, [.show], short: "p", value: "DIR", readsEnvironment: true, environmentVariable: "PLACE",
                    summary: "where"
                )
            case .speed:
                .init(
                    .general, [.show, .changeAll], value: "WORD", readsEnvironment: true,
                    completion: .words(["fast", "slow"]), summary: "how fast"
                )
            case .when:
                .init(
                    .general, [.show], value: "TIME", completion: .words(["now"]), takesOtherWords: true,
                    summary: "when"
                )
            case .json: .init(.output, [.show], summary: "for programs")
            case .output: .output
            case .color: .color
            case .quiet: .quiet
            case .help: .help
            case .version: .version
            case .generate: .generate
            }
        }
    }

    static var name: String { "small-tool" }
    static var version: String { "1" }
    static var defaultCommand: Command { .show }
    static var summary: String { "a small tool" }
    static var exitCodes: [(code: Int, meaning: String)] { [(0, "done")] }

    static func perform(_ session: ToolSession<SmallTool>) async throws -> ExitCode { .success }
}

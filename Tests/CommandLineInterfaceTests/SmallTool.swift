@testable import CommandLineInterface

/// A tool with two commands, for tests of what all tools have in common.
enum SmallTool: Tool {
    enum Schema: String, ToolSchema {
        case thing = "small-tool/thing-1"

        var meaning: String { "a thing" }
    }

    enum Command: ToolCommand {
        case show, changeAll

        var definition: CommandDefinition {
            switch self {
            case .show:
                .init(
                    "show", actions: ["left", "right"], summary: "show it", description: ["Shows it."],
                    examples: [.init("Show it", "small-tool show --place=here")]
                )
            case .changeAll:
                .init(
                    "change-all", operands: "FILE", summary: "change it", description: ["Changes it."],
                    examples: [.init("Change it and show it", "small-tool change-all x && small-tool > file")]
                )
            }
        }
    }

    enum Flag: ToolFlag {
        typealias Command = SmallTool.Command

        case place, speed, time, parts
        case json, output, color, quiet
        case help, version, generate

        enum Section: String, ToolSection {
            case output = "Output"
            case general = "General"
        }

        var definition: FlagDefinition<Flag> {
            switch self {
            case .place:
                .init(
                    "place", short: "p", in: .general, for: [.show], value: .folder("DIR"), variable: .named("PLACE"),
                    summary: "where to do it"
                )
            case .speed:
                .init(
                    "speed", in: .general, value: .word("WORD", of: ["fast", "slow"]), variable: .standard,
                    summary: "how fast to do it"
                )
            case .time:
                .init(
                    "time", in: .general, for: [.show], value: .text("TIME", suggestions: ["now"]),
                    summary: "when to do it"
                )
            case .parts:
                .init(
                    "parts", in: .general, for: [.show],
                    value: .list("PART,...", suggestions: ["foot", "hand", "head"]),
                    isRepeatable: true, summary: "what to show"
                )
            case .json: .init("json", in: .output, for: [.show], isNegatable: true, summary: "print JSON")
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

/// A tool whose tables have mistakes that compile.
enum FaultyTool: ToolDefinition {
    typealias Schema = SmallTool.Schema

    enum Command: ToolCommand {
        case show, list

        var definition: CommandDefinition {
            switch self {
            case .show:
                .init(
                    "show", summary: "Show it.", description: ["Shows it."],
                    examples: [.init("Show it", "faulty-tool show --size=2")]
                )
            case .list: .init("show", summary: "list it", description: ["Lists it"])
            }
        }
    }

    enum Flag: ToolFlag {
        typealias Command = FaultyTool.Command
        typealias Section = SmallTool.Flag.Section

        case size, place
        case json, output, color, quiet
        case help, version, generate

        var definition: FlagDefinition<Flag> {
            switch self {
            case .size: .init("no-size", short: "q", in: .general, for: [], summary: "how big it is")
            case .place:
                .init(
                    "place", in: .general, value: .text("DIR"), isNegatable: true, summary: "where it is",
                    details: "A folder"
                )
            case .json: .quiet
            case .output: .output
            case .color: .color
            case .quiet: .quiet
            case .help: .help
            case .version: .version
            case .generate: .generate
            }
        }
    }

    static var name: String { "faulty-tool" }
    static var version: String { "1" }
    static var defaultCommand: Command { .show }
    static var exitCodes: [(code: Int, meaning: String)] { [(0, "done")] }
}

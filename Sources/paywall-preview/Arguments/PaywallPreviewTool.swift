internal import CommandLineInterface
internal import ReceiptTypes

typealias Session = ToolSession<PaywallPreviewTool>

/// The tool `paywall-preview`: its name, its tables of commands and flags, and what help says about it as a whole.
enum PaywallPreviewTool: Tool {
    typealias Command = paywall_preview.Command
    typealias Flag = paywall_preview.Flag
    typealias Schema = OutputSchema

    static var name: String { "paywall-preview" }
    static var version: String { PackageVersion.text }
    static var defaultCommand: Command { .serve }
    static var writesPrivateFiles: Bool { true }

    static var exitCodes: [(code: Int, meaning: String)] {
        [
            (0, "ended by Control-C or another signal that ends a process"),
            (2, "the command line, a file or the port cannot be used"),
        ]
    }
}

/// The schemas of the JSON objects that `paywall-preview` prints.
enum OutputSchema: String, ToolSchema {
    case server = "paywall-preview/server-1"

    var meaning: String {
        switch self {
        case .server: "the address of the shop, when it can be opened"
        }
    }
}

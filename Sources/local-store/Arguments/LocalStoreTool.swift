internal import CommandLineInterface
internal import ReceiptTypes

typealias Arguments = ToolArguments<LocalStoreTool>
typealias Session = ToolSession<LocalStoreTool>

/// The tool `local-store`: its name, its tables of commands and flags, and what help says about it as a whole.
enum LocalStoreTool: Tool {
    typealias Command = local_store.Command
    typealias Flag = local_store.Flag
    typealias Schema = OutputSchema

    static var name: String { "local-store" }
    static var version: String { PackageVersion.text }
    static var defaultCommand: Command { .status }

    static var summary: String { "simulate the App Store: sell, renew and refund products, and sign the receipts" }

    static var description: [String] {
        [
            "Simulates the App Store from a .storekit file, with its own clock and with customers that you create. "
                + "Transactions, renewal infos, notifications and app transactions are signed in the App Store's "
                + "format under the store's own root certificate. Google Play purchases are signed as well.",
            "A store is a folder (--store) that holds its .storekit file, its private keys and its state. Each command "
                + "changes the state completely or not at all. The same commands with the same seed create the same "
                + "store.",
            "Without a command, local-store prints the store's status.",
        ]
    }

    static var exitCodes: [(code: Int, meaning: String)] {
        [
            (0, "the command succeeded"),
            (1, "the store rejected or failed the request, or a .storekit file has errors"),
            (2, "the command line, a file or the store's folder cannot be used, or another process is using the store"),
            (130, "interrupted"),
        ]
    }
}

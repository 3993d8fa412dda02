internal import CommandLineInterface
internal import ReceiptTypes

typealias Arguments = ToolArguments<PurchasesTool>
typealias Session = ToolSession<PurchasesTool>

/// The tool `purchases`: its name, its tables of commands and flags, and what help says about it as a whole.
enum PurchasesTool: Tool {
    typealias Command = purchases.Command
    typealias Flag = purchases.Flag
    typealias Schema = OutputSchema

    static var name: String { "purchases" }
    static var version: String { PackageVersion.text }
    static var defaultCommand: Command { .list }
    static var writesPrivateFiles: Bool { true }
    static func ownPaths(_ arguments: Arguments) -> [String] { DataPlaces(arguments).paths }

    static var summary: String { "read, verify, check and repair the purchase database of an app" }

    static var description: [String] {
        [
            "Works on the folder of an app (--data) with its database, its sealed store, which has the key of the "
                + "database, and the file of the sealed store's key. The app can have the database open. list, show, "
                + "verify, export and check write nothing to it.",
            "Only export prints signed payloads. A row that another program has changed is left out and named on "
                + "standard error, and the exit code is 1. list, show, verify and export read the state of one moment; "
                + "erase cannot finish while one of them runs.",
            "Without a command, purchases lists the purchases of all users.",
        ]
    }

    static var exitCodes: [(code: Int, meaning: String)] {
        [
            (0, "the command succeeded, every receipt is verified, or the database is sound"),
            (
                1,
                "at least one receipt is unverified, the database is damaged, a row was left out, or there is no such "
                    + "purchase or user"
            ),
            (2, "the command line, a file or the key cannot be used"),
            (3, "at least one receipt is undecided and none is unverified, or there is nothing to verify"),
            (
                4,
                "list, show, verify, export or check has found a file with the name of a rollback journal, which the "
                    + "database does not have, or the write-ahead log of another database; nothing was read or changed"
            ),
            (130, "interrupted"),
        ]
    }
}

internal import CommandLineInterface
internal import ReceiptTypes

typealias Arguments = ToolArguments<VerifyReceipt>
typealias Session = ToolSession<VerifyReceipt>

/// The definition of the tool `verify-receipt`.
enum VerifyReceipt: ToolDefinition {
    typealias Command = verify_receipt.Command
    typealias Flag = verify_receipt.Flag
    typealias Schema = OutputSchema

    static var name: String { "verify-receipt" }
    static var version: String { PackageVersion.text }
    static var defaultCommand: Command { .verify }
    static var resumableCommand: Command? { .batch }

    static var exitCodes: [(code: Int, meaning: String)] {
        [
            (0, "every receipt is verified, or the command succeeded"),
            (1, "at least one receipt is unverified, or a test vector differs"),
            (2, "the command line, a file or the configuration cannot be used"),
            (
                3,
                "at least one receipt is undecided, for example for lack of a key, and none is unverified, or there "
                    + "is nothing to verify"
            ),
            (130, "interrupted: the process ends by the signal, which a shell shows as 130"),
        ]
    }
}

internal import CommandLineInterface

extension Command {
    /// The table of commands: everything that is said of them anywhere is said here.
    var definition: CommandDefinition {
        switch self {
        case .verify:
            .init(
                operands: "[INPUT]...",
                summary: "say whether receipts are genuine, and what they say",
                description: [
                    "Each INPUT is a file, - for standard input, or the receipt itself. It may be a signed transaction, "
                        + "renewal info, notification, app transaction or realtime request of the App Store (a compact "
                        + "JWS), JSON around one or several of them, or a Google Play purchase with its signature. "
                        + "Quotes, line breaks, URL escaping and one more base64 around it are removed.",
                    "A receipt is judged by its signature, its certificate chain up to a trusted root, and what it must "
                        + "say. Nothing is sent anywhere and the system's trust store is not consulted.",
                    "What is not asked for is not checked, and is reported: name your app with --bundle-id and the "
                        + "environment with --environment, or refuse everything that was not checked with --strict.",
                ],
                examples: [
                    .init(
                        purpose: "Verify a transaction of your app",
                        line: "verify-receipt transaction.jws --bundle-id com.example.app --environment Production"
                    ),
                    .init(purpose: "The same for a program", line: "verify-receipt --json - < transaction.jws"),
                    .init(
                        purpose: "Verify a Google Play purchase",
                        line: "verify-receipt purchase.json --play-key com.example.app=play-key.txt"
                    ),
                ]
            )
        case .explain:
            .init(
                operands: "[INPUT]...",
                summary: "show every step of the judgement, with what was expected and what was seen",
                description: [
                    "Judges like verify and prints each check as pass, FAIL or skip. The certificate chain is judged "
                        + "anew, whatever the key cache holds. For a failure it says what it means and what to try.",
                    "A receipt that fails early is read on where that is possible, to show everything that is wrong.",
                ],
                examples: [
                    .init(
                        purpose: "Why is this receipt refused",
                        line: "verify-receipt explain transaction.jws --bundle-id com.example.app"
                    )
                ]
            )
        case .inspect:
            .init(
                operands: "[INPUT]...",
                summary: "decode receipts without judging them",
                description: [
                    "Prints header, certificates and payload as they stand in the receipt. Nothing is verified: anybody "
                        + "can write such a text, and every line says so. Use it to look, never to decide."
                ],
                examples: [
                    .init(purpose: "Look into a notification", line: "verify-receipt inspect notification.json")
                ]
            )
        case .batch:
            .init(
                operands: "[INPUT]...",
                summary: "verify many receipts, one a line, and write one result a line",
                description: [
                    "Each INPUT is a file or - for standard input. A line is a receipt as verify takes it, a JSON object "
                        + "that holds it under --field, or a row of CSV that holds it under --column. Results are "
                        + "written in the order of the input as JSON Lines or CSV. A bad line is a result and never "
                        + "stops the run. Memory does not grow with the input.",
                    "A result has: type (\"result\"), source, line, verdict (\"verified\", \"unverified\" or "
                        + "\"undecided\"), code (null when verified), kind, bundleId, productId, transactionId, "
                        + "originalTransactionId, environment, signedDate, and nested for a notification. With "
                        + "--summary a last line has type \"summary\" and the counts.",
                ],
                examples: [
                    .init(
                        purpose: "Verify an export on four threads",
                        line:
                            "verify-receipt batch export.jsonl --field signedTransactionInfo --jobs 4 -o results.jsonl"
                    ),
                    .init(
                        purpose: "Only the counts",
                        line: "verify-receipt batch export.csv --column receipt --summary | tail -n 1"
                    ),
                ]
            )
        case .keys:
            .init(
                operands: "[list | clear | export]",
                summary: "list, clear or export the keys that earlier verifications stored",
                description: [
                    "The key cache spares the check of a certificate chain that has been checked before. It is kept in "
                        + "the file of --key-cache, encrypted and authenticated with the key of --sealing-key.",
                    "list shows the stored keys, clear removes them, export prints them as PEM (as JSON with --json). "
                        + "Only public keys are ever stored.",
                ],
                actions: ["list", "clear", "export"],
                examples: [
                    .init(purpose: "What is stored", line: "verify-receipt keys list --key-cache keys.cache")
                ]
            )
        case .roots:
            .init(
                operands: "[list | check FILE...]",
                summary: "list the trusted roots, or check a certificate file",
                description: [
                    "list shows the roots that the given options trust, with their SHA-256 fingerprints. check reads "
                        + "files of certificates in DER or PEM and says whether they can be used with --root and "
                        + "whether they are trusted already."
                ],
                actions: ["list", "check"],
                examples: [
                    .init(purpose: "Check a file before it is trusted", line: "verify-receipt roots check root.der")
                ]
            )
        case .vectors:
            .init(
                operands: "DIR...",
                summary: "run a folder of test vectors and print what differs",
                description: [
                    "Runs every vector file (*.json) in the folders and compares verdict and code. Prints one line for "
                        + "each vector that differs and a count at the end."
                ],
                examples: [
                    .init(purpose: "Run the vectors of this package", line: "verify-receipt vectors TestVectors")
                ]
            )
        case .mint:
            .init(
                operands: "--authority DIR",
                summary: "make test receipts, signed by a test authority of your own",
                description: [
                    "Prints signed test receipts of the App Store's shape for the tests of your own programs. They "
                        + "verify only where the authority's root is trusted: give its root.der to --root.",
                    "The authority is kept in the folder of --authority and made when it is not there. Its keys are "
                        + "readable by you alone and are never printed.",
                ],
                examples: [
                    .init(
                        purpose: "A transaction of your app",
                        line: "verify-receipt mint --authority authority --bundle-id com.example.app > test.jws"
                    ),
                    .init(
                        purpose: "and verified",
                        line: "verify-receipt test.jws --root authority/root.der --bundle-id com.example.app"
                    ),
                ]
            )
        }
    }
}

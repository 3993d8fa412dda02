internal import CommandLineInterface
internal import ReceiptTypes

/// The commands, in the order in which help lists them.
///
/// To add a command, add a case and its row in ``definition``, and run it in `VerifyReceipt.perform(_:)`.
enum Command: ToolCommand {
    case verify, explain, inspect, legacyResponse, batch, codes, config, keys, roots, vectors, mint

    var definition: CommandDefinition {
        switch self {
        case .verify:
            .init(
                "verify", operands: "[INPUT]...",
                summary: "verify receipts and print their contents",
                description: [
                    "Each INPUT is a file, - for standard input, or the receipt itself: a signed transaction, renewal "
                        + "info, notification, app transaction or realtime request of the App Store (a compact JWS), "
                        + "an app receipt (PKCS#7, also in base64), a Google Play purchase with its signature, or JSON "
                        + "that contains one or more of them. It may be in any text, such as a mail, a log line, a "
                        + "form body or JSON inside JSON: then it is searched for, and a message on standard error "
                        + "says what was found. Quotes, line breaks, blanks, what stands before each line of mail, "
                        + "comments, logs and listings, the joints of strings, invisible characters, entities, "
                        + "backslashes, URL escaping, quoted-printable, UTF-16 and base64 around and in a receipt are "
                        + "removed, and dumps of bytes are read; what was found is verified byte for byte. "
                        + "All that looks like a receipt has a result, also if it is incomplete or damaged, and a text "
                        + "that exceeds the limits of the search has one more. With --json, item is the number of a "
                        + "receipt in its INPUT, and line that of the line in which it begins, by which results join "
                        + "to the rows of a table (null if it is in an encoding, in bytes or numbers, or interrupted).",
                    "An input that is something else, such as an order ID, a purchase token, an error of a store's "
                        + "API, compressed data or a key, is undecided (not-a-receipt), with where to look it up. On a "
                        + "terminal, - reads until Control-D.",
                    "A receipt is verified if its signature is valid, its certificate chain ends at a trusted root, "
                        + "and it meets the given requirements. Nothing is sent over the network, and the system's "
                        + "trust store is not used.",
                    "A requirement that is not given is not checked. Name your app with --bundle-id and the "
                        + "environment with --environment; --strict rejects every receipt for which either was not "
                        + "checked.",
                ],
                examples: [
                    .init(
                        "Verify a transaction of your app",
                        "verify-receipt transaction.jws --bundle-id com.example.app --environment Production"
                    ),
                    .init("Print the result as JSON", "verify-receipt --json - < transaction.jws"),
                    .init(
                        "Verify a Google Play purchase",
                        "verify-receipt purchase.json --play-key com.example.app=play-key.txt"
                    ),
                ]
            )
        case .explain:
            .init(
                "explain", operands: "[INPUT]...",
                summary: "print every check of a verification",
                description: [
                    "Verifies like verify and prints each check as pass, FAIL or skip, with the expected and the found "
                        + "value. The certificate chain is always validated, even if the key cache contains its key. A "
                        + "failure is followed by what it means and what to try.",
                    "After a failure, the remaining checks are made where possible, to show everything that is wrong.",
                ],
                examples: [
                    .init(
                        "See why a receipt is unverified",
                        "verify-receipt explain transaction.jws --bundle-id com.example.app"
                    )
                ]
            )
        case .inspect:
            .init(
                "inspect", operands: "[INPUT]...",
                summary: "decode receipts without verifying them",
                description: [
                    "Prints the header, the certificates and the payload of each receipt. Nothing is verified, so the "
                        + "contents may be forged; every line is marked unverified. Use it for debugging, never to "
                        + "grant access."
                ],
                examples: [
                    .init("Decode a notification", "verify-receipt inspect notification.json")
                ]
            )
        case .legacyResponse:
            .init(
                "legacy-response", operands: "[INPUT]...",
                summary: "answer as the retired verifyReceipt endpoint did",
                description: [
                    "Verifies app receipts like verify, and prints for each the JSON that the verifyReceipt endpoint "
                        + "of the App Store gave, on one line, for servers that parse it. An INPUT is an app receipt "
                        + "in any form that verify reads, or the body of a request to the endpoint: its "
                        + "exclude-old-transactions counts, and its password is not compared with anything.",
                    "status is 0 for a verified receipt, 21002 for one that cannot be read, 21003 for one that is not "
                        + "authentic or that a requirement rejects, 21007 for one of the sandbox and 21008 for one of "
                        + "production that --environment rejects, and 21009 if it is undecided. A receipt that is not "
                        + "verified has no other member, and a message on standard error has the code and the reason.",
                    "Everything comes from the receipt, so latest_receipt_info ends at its creation, and "
                        + "latest_receipt is the receipt itself. What a receipt does not hold is left out, such as "
                        + "auto_renew_status, and messages on standard error name it. request_date is the current "
                        + "time. The schema of the response is legacy-response-1 (--json-schema).",
                ],
                examples: [
                    .init(
                        "Answer a request that is forwarded as it is",
                        "verify-receipt legacy-response - --bundle-id com.example.app --environment Production "
                            + "< body.json"
                    ),
                    .init(
                        "Print an ID for the App Store Server API",
                        "verify-receipt legacy-response receipt.b64 --transaction-ids | head -n 1"
                    ),
                ]
            )
        case .batch:
            .init(
                "batch", operands: "[INPUT]...",
                summary: "verify many receipts, one per line",
                description: [
                    "Each INPUT is a file, a folder, or - for standard input. A line is a receipt without other text "
                        + "around it (a line that only verify would find a receipt in is not verified: it is "
                        + "undecided, or unverified if it looks like a damaged receipt, and a warning counts such "
                        + "lines), a "
                        + "JSON object with the receipt in the field of --field, or a CSV row with the receipt in the "
                        + "column of --column. In a folder, each regular file is one receipt; links, pipes, devices "
                        + "and hidden files are skipped and named on standard error. If a file of a folder is removed "
                        + "during the run, or deeper than 16 folders, the other files are verified and the exit code "
                        + "is 2. A byte of a name that is not UTF-8 is printed as in \\xE9.",
                    "Prints one result per receipt, as JSON Lines or CSV, in the order of the input. A line that "
                        + "cannot be read has a result too and does not stop the run. Memory use does not grow with "
                        + "the input.",
                    "A result has the members schema, type (\"result\"), source, line, record (the number of the line "
                        + "or row in its source, without the header row), item (the number of the receipt in it), "
                        + "input (with --keep), verdict (\"verified\", \"unverified\" or \"undecided\"), code (null if "
                        + "verified), kind, bundleId, productId, transactionId, originalTransactionId, environment, "
                        + "signedDate and revocationDate, revoked (true) if the store has revoked the purchase, "
                        + "refundedInPart (true) if it has refunded a part of it, those "
                        + "of revocationReason, notificationType, subtype, notificationUUID, expiresDate, price (a "
                        + "decimal in units of the currency), currency and storefront that the receipt has (a "
                        + "notification has all members of its transaction), anchor (the root: subject, sha256 and "
                        + "builtIn) and leaf (serialNumber and sha256). If it is not verified, it also has "
                        + "step, message, expected and actual, certificate if a certificate was rejected, and "
                        + "unverifiedIds, the IDs that it claims to have, if they can be read: an attacker can have "
                        + "written them. A notification has nested. --payload adds the payload, and --fields chooses "
                        + "other members. --count-by and --duplicates print counts and duplicates in place of results, "
                        + "and --report writes a page. With --summary, the last line has the type \"summary\" and the "
                        + "counts.",
                ],
                examples: [
                    .init(
                        "Verify an export on four threads",
                        "verify-receipt batch export.jsonl --field signedTransactionInfo --jobs 4 -o results.jsonl"
                    ),
                    .init(
                        "Add the verdicts to a table",
                        "verify-receipt batch orders.csv --column receipt --keep all -o checked.csv"
                    ),
                    .init(
                        "Make a table of what was sold",
                        "verify-receipt batch export.jsonl --field signedTransactionInfo --only verified "
                            + "--output-format csv --fields purchaseDate,productId,price,currency,storefront"
                    ),
                    .init(
                        "Answer a program line by line",
                        "verify-receipt batch - --line-buffered --every-record --field receipt --keep id"
                    ),
                    .init(
                        "Count the receipts of each product",
                        "verify-receipt batch export.jsonl --field signedTransactionInfo --kind transaction "
                            + "--only verified --count-by productId,currency"
                    ),
                    .init(
                        "Write a page that shows what an export contains",
                        "verify-receipt batch export.csv --column receipt --report report.html"
                    ),
                    .init(
                        "Find receipts that were presented more than once",
                        "verify-receipt batch export.csv --column receipt --duplicates"
                    ),
                    .init(
                        "Make results of October that may leave the company",
                        "verify-receipt batch export.csv --column receipt --since 2025-10-01 --until 2025-10-31 "
                            + "--timezone Europe/Berlin --redact"
                    ),
                    .init(
                        "Print only the counts",
                        "verify-receipt batch export.csv --column receipt --summary | tail -n 1"
                    ),
                ]
            )
        case .codes:
            .init(
                "codes", operands: "[CODE]...", actions: VerificationFailure.Code.all.map(\.rawValue),
                summary: "list the codes of failures, or explain some of them",
                description: [
                    "Prints each code with the verdict that it stands for, the step whose check fails and what it "
                        + "means. For a CODE, also prints what to try, whether the same receipt can be verified later, "
                        + "and the group of errors that apps show. The codes are stable: a later version can add "
                        + "codes, and changes none.",
                    "With --json, an object per code has the members code, verdict, step, meaning, hint, retryable and "
                        + "errorCode.",
                ],
                examples: [
                    .init("Look up the code of a result", "verify-receipt codes untrusted-root"),
                    .init("List the codes for a program", "verify-receipt codes --json"),
                ]
            )
        case .config:
            .init(
                "config", operands: "check FILE...", actions: ["check"],
                summary: "check policy files for --config",
                description: [
                    "A policy file is JSON with the apps, and for each of them the App Store ID, environments, "
                        + "products, Google Play package and key, and roots with the environments whose receipts they "
                        + "may sign. check reads it as verify does, with the files that it names, and prints how it is "
                        + "understood. What is allowed and often a mistake is a warning, such as a root for tests that "
                        + "may sign receipts of Production. The exit code is 0, or 2 if a file cannot be used.",
                    "The members of the file are schema (\"verify-receipt/config-1\"), apps, roots, onlyGivenRoots, "
                        + "kinds, strict, refuseRevoked and distrust. An app has bundleId with environments, "
                        + "playPackage with playKey or playKeyFile, or both, and can have appAppleId, products, roots "
                        + "and strict. A root has file or pem, and environments. Names of files are relative to the "
                        + "folder of the policy file. Unknown members are errors.",
                ],
                examples: [
                    .init("Check a policy file", "verify-receipt config check policy.json"),
                    .init("Use it", "verify-receipt transaction.jws --config policy.json"),
                ]
            )
        case .keys:
            .init(
                "keys", operands: "[list | clear | export]", actions: ["list", "clear", "export"],
                summary: "list, clear or export the key cache",
                description: [
                    "The key cache stores the public keys of validated certificate chains, so that later runs do not "
                        + "validate these chains again. It is the file of --key-cache, encrypted and authenticated "
                        + "with the sealing key, which is kept in the folder of --state-dir.",
                    "list prints the stored keys, clear removes them, and export prints them as PEM, or as JSON with "
                        + "--json. Only public keys are stored.",
                    "The hash of a chain is the SHA-256 over the certificates of x5c in DER, leaf first, each after "
                        + "its length in four bytes, the highest first.",
                ],
                examples: [
                    .init("List the stored keys", "verify-receipt keys list --key-cache keys.cache")
                ]
            )
        case .roots:
            .init(
                "roots", operands: "[list | export | check FILE...]", actions: ["list", "export", "check"],
                summary: "list or export the trusted roots, or check a certificate file",
                description: [
                    "list prints the roots that the given options trust, with their SHA-256 fingerprints and dates. "
                        + "export prints those of --root as PEM. check reads certificate files in DER or PEM, and "
                        + "prints whether --root can use them and whether they are trusted already. An intermediate or "
                        + "a leaf is no root; then the exit code is 1."
                ],
                examples: [
                    .init("Check a file before trusting it", "verify-receipt roots check root.der")
                ]
            )
        case .vectors:
            .init(
                "vectors", operands: "DIR...",
                summary: "run test vectors and print the differences",
                description: [
                    "Runs every vector file (*.json) in the folders and compares verdict and code with the expected "
                        + "ones. Prints the number of vectors in each file, a line per difference, and the total."
                ],
                examples: [
                    .init("Run the vectors of this package", "verify-receipt vectors TestVectors")
                ]
            )
        case .mint:
            .init(
                "mint", operands: "--authority DIR | --all-flaws DIR | --list-flaws",
                summary: "make test receipts, signed by your own test authority",
                description: [
                    "Prints signed receipts of the App Store or of Google Play, for the tests of your own programs. "
                        + "They verify only if the authority's root is trusted: pass its root.der to --root, and for "
                        + "Google Play its play-key.txt to --play-key.",
                    "The authority is stored in the folder of --authority and created if it does not exist. Its "
                        + "private keys are readable only by you and are never printed.",
                    "A server must also reject receipts, so --flaw makes receipts with one flaw, such as an expired "
                        + "certificate, and --all-flaws writes one with each flaw, with a list of the codes that a "
                        + "verifier must report.",
                ],
                examples: [
                    .init(
                        "Make a transaction of your app",
                        "verify-receipt mint --authority authority --bundle-id com.example.app > test.jws"
                    ),
                    .init(
                        "Verify it",
                        "verify-receipt test.jws --root authority/root.der --only-given-roots --bundle-id "
                            + "com.example.app"
                    ),
                    .init(
                        "Make a notification of a refund two days ago",
                        "verify-receipt mint --authority authority --notification-type refund --set "
                            + "transaction.revocationDate=-P2D"
                    ),
                    .init(
                        "Make receipts that your server must reject",
                        "verify-receipt mint --all-flaws specimens --bundle-id com.example.app"
                    ),
                ]
            )
        }
    }
}

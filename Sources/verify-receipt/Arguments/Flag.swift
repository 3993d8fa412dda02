internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The flags, in the order in which help lists them.
///
/// To add a flag, add a case and its row in ``definition``.
enum Flag: ToolFlag {
    typealias Command = verify_receipt.Command

    case config
    case bundleID, appAppleID, environment, kind, productID, deviceID, refuseRevoked, strict, validAt
    case root, onlyGivenRoots, distrust, playKey, keyCache, sealingKey, stateDirectory
    case evidence
    case excludeOldTransactions, transactionIDs, subscriptions
    case inputFormat, field, signatureField, column, signatureColumn, keep, everyRecord, wholeFiles,
        maxReceiptsPerRecord, allowEmpty
    case outputFormat, spreadsheet, withPayload, fields, only, since, until, timeZone, dateField
    case countBy, sum, duplicates, report, temporaryDirectory, summary, jobs, lineBuffered
    case resume
    case redact, redactKey
    case authority, payload, set, type, form, notificationType, subtype, mintedAt, seed, count, force
    case flaw, allFlaws, listFlaws
    case json, output, color, quiet, verbose
    case help, version, generate, jsonSchema

    /// The commands that verify receipts.
    private static let verifying: [Command] = [.verify, .explain, .batch]
    /// The commands that verify app receipts.
    private static let verifyingAppReceipts: [Command] = verifying + [.legacyResponse]

    /// The names of fields of results and of payloads that a shell completes.
    static let fieldNames: [String] = {
        var seen: Set<String> = []
        let names =
            ResultFields.commonNames + ResultFields.furtherNames + ReceiptKind.allCases.flatMap(ResultFields.names)
        return names.filter { seen.insert($0).inserted }
    }()

    var definition: FlagDefinition<Flag> {
        switch self {

        // MARK: Receipt requirements

        case .config:
            .init(
                "config", in: .requirements, for: Self.verifyingAppReceipts + [.roots], value: .file("FILE"),
                variable: .standard,
                summary: "read requirements, roots and keys from a policy file",
                details:
                    "See the command config. No policy file is looked for: it is named here or by the variable. Other "
                    + "requirements narrow it: --bundle-id, --environment, --product-id and --kind choose among what "
                    + "it accepts, and --strict, --refuse-revoked, --only-given-roots and --distrust add to it. A flag "
                    + "that would widen it, such as --root, --play-key or --no-strict, is an error, also if a variable "
                    + "sets it."
            )
        case .bundleID:
            .init(
                "bundle-id", short: "b", in: .requirements, for: Self.verifyingAppReceipts + [.mint],
                value: .text("ID"), isRepeatable: true, variable: .standard,
                summary: "accept only receipts of this app",
                details:
                    "ID is the bundle ID, or the package name on Google Play, and is case-sensitive. ID=NUMBER also "
                    + "requires the app's App Store ID, as --app-apple-id does for a single app. With mint: the bundle "
                    + "ID of the receipt."
            )
        case .appAppleID:
            .init(
                "app-apple-id", in: .requirements, for: Self.verifyingAppReceipts + [.mint],
                value: .text("NUMBER"), variable: .standard,
                summary: "require this App Store ID of the app",
                details:
                    "Checked in the receipts that contain it: notifications, app transactions, app receipts and "
                    + "realtime requests. Needs exactly one --bundle-id."
            )
        case .environment:
            .init(
                "environment", short: "e", in: .requirements, for: Self.verifyingAppReceipts + [.mint],
                value: .word("NAME", of: ["Production", "Sandbox", "Xcode", "LocalTesting"]),
                isRepeatable: true, variable: .standard,
                summary: "accept only receipts of this environment",
                details: "NAME is Production, Sandbox, Xcode or LocalTesting. Google Play has no environments, so a "
                    + "purchase from there is accepted with a warning, or rejected with --strict."
            )
        case .kind:
            .init(
                "kind", short: "k", in: .requirements, for: Self.verifying + [.mint],
                value: .word("KIND", of: ReceiptKind.allCases.map(\.commandLineName)), isRepeatable: true,
                summary: "accept only receipts of this kind",
                details: "KIND is transaction, renewal-info, notification, app-transaction, realtime-request, "
                    + "play-purchase or app-receipt. With mint: the kind to make, by default transaction."
            )
        case .productID:
            .init(
                "product-id", short: "p", in: .requirements, for: Self.verifyingAppReceipts + [.mint],
                value: .text("ID"), isRepeatable: true,
                summary: "accept only purchases of this product",
                details: "A receipt that names no product is accepted with a warning, or rejected with --strict. A "
                    + "notification is checked by the receipts inside it. With mint: the product of the receipt."
            )
        case .deviceID:
            .init(
                "device-id", in: .requirements, for: Self.verifyingAppReceipts + [.mint], value: .text("UUID|MAC"),
                summary: "accept only app receipts of this device",
                details: "A UUID is the app's identifierForVendor on iOS; a MAC address is that of a Mac's primary "
                    + "network interface. Other receipts are not bound to it: they are accepted with a warning, or "
                    + "rejected with --strict. A receipt that a server has fetched is bound to the UUID of zeros. "
                    + "With mint: the device of an app receipt, by default the UUID of zeros."
            )
        case .refuseRevoked:
            .init(
                "refuse-revoked", in: .requirements, for: Self.verifying, isNegatable: true, variable: .standard,
                summary: "reject purchases that the store has revoked",
                details: "By default a revoked purchase is verified, and its revocation date is printed. Only "
                    + "transactions and Google Play purchases show a revocation; the transaction inside a notification "
                    + "is not checked. A refund of a part is accepted with a warning that names it: the share of a "
                    + "consumable, with the items that remain if it is that of complete items, or the items of an "
                    + "Advanced Commerce purchase."
            )
        case .strict:
            .init(
                "strict", in: .requirements, for: Self.verifyingAppReceipts, isNegatable: true, variable: .standard,
                summary: "reject receipts of which not everything was checked",
                details: "App and environment must be checked, so --bundle-id and --environment must be given, and the "
                    + "receipt must name everything that is required: a renewal info names no app, an app transaction "
                    + "no product. An App Store ID can be missing if the receipt names the bundle ID."
            )
        case .validAt:
            .init(
                "at", in: .requirements, for: Self.verifyingAppReceipts,
                value: .text("TIME", suggestions: ["signing", "now"]),
                summary: "the time at which certificates must be valid",
                details: "TIME is signing (the default), now, or a time such as 2024-05-01T12:00:00Z. With signing, "
                    + "certificates must be valid at the signing time in the receipt, so that a genuine receipt still "
                    + "verifies after they have expired."
            )

        // MARK: Trust

        case .root:
            .init(
                "root", short: "r", in: .trust, for: Self.verifyingAppReceipts + [.roots],
                value: .file("FILE"), isRepeatable: true, variable: .standard,
                summary: "trust the certificates in FILE as roots",
                details:
                    "FILE is DER, or PEM with one or more certificates. FILE=NAME,... trusts them only for receipts of "
                    + "these environments, as in root.der=Sandbox,Xcode (in VERIFY_RECEIPT_ROOT, with + in place of "
                    + "the comma). Apple's roots are built in and trusted as well; beside them, a root without "
                    + "environments verifies receipts of Production with a warning, and not at all with --strict. Say "
                    + "FILE=Production,Sandbox if your own root signs real purchases. A certificate that is no CA "
                    + "verifies only receipts of Xcode and LocalTesting that it has signed itself."
            )
        case .onlyGivenRoots:
            .init(
                "only-given-roots", in: .trust, for: Self.verifyingAppReceipts + [.roots], isNegatable: true,
                variable: .standard,
                summary: "do not trust the built-in roots"
            )
        case .distrust:
            .init(
                "distrust", in: .trust, for: Self.verifyingAppReceipts, value: .file("SHA256|FILE"), isRepeatable: true,
                variable: .standard, addsToVariable: true,
                summary: "reject receipts with this certificate or key in their chain",
                details:
                    "SHA256 is the digest of a certificate in DER, as verify, inspect and openssl x509 -fingerprint "
                    + "-sha256 print it, or of a key (SubjectPublicKeyInfo), in 64 hexadecimal digits with or without "
                    + "colons. FILE has a certificate in DER or PEM; its key is distrusted in any certificate. For a "
                    + "leaf or an intermediate whose key was stolen, because revocation is not checked. It adds to its "
                    + "variable."
            )
        case .playKey:
            .init(
                "play-key", in: .trust, for: Self.verifying,
                value: .file("PACKAGE=FILE"), isRepeatable: true, variable: .standard,
                summary: "use FILE as the public key of a Google Play app",
                details:
                    "FILE contains the app's licence key as the Play Console shows it (base64), or a public key in "
                    + "PEM or DER. A key that arrives with a purchase is never trusted."
            )
        case .keyCache:
            .init(
                "key-cache", in: .trust, for: Self.verifyingAppReceipts + [.keys], value: .file("FILE"),
                variable: .standard,
                summary: "keep validated keys in FILE between runs",
                details:
                    "The file is encrypted, authenticated and readable only by you. A file that is damaged, of another "
                    + "version or sealed with another key is ignored with a warning, and replaced. A file that other "
                    + "users could have written is ignored with a warning, and left unchanged: FILE must be a regular "
                    + "file of mode 600 that belongs to you, in a folder that only you and root can change. explain "
                    + "does not use the key cache."
            )
        case .sealingKey:
            .init(
                "sealing-key", in: .trust, for: Self.verifyingAppReceipts + [.keys], value: .file("FILE"),
                variable: .standard,
                summary: "the key that encrypts the key cache",
                details:
                    "A file of 32 bytes, created if it does not exist, under the same conditions as the key cache. "
                    + "The default is sealing.key in the folder of --state-dir."
            )
        case .stateDirectory:
            .init(
                "state-dir", in: .trust, for: Self.verifyingAppReceipts + [.keys],
                value: .folder("DIR", with: [SealingKey.fileName]), variable: .standard,
                summary: "the folder of the sealing key",
                details:
                    "Created if it does not exist. The default is verify-receipt in $XDG_STATE_HOME, or else in "
                    + "~/.local/state. A service or a container without a home folder needs it."
            )

        // MARK: Batch input and output

        case .inputFormat:
            .init(
                "format", in: .batch, for: [.batch], value: .word("FORMAT", of: ["auto", "jsonl", "csv"]),
                summary: "the input format: auto, jsonl or csv",
                details:
                    "FORMAT auto, the default, means csv if --column is given and jsonl otherwise. A line of jsonl "
                    + "can also be a bare JWS."
            )
        case .field:
            .init(
                "field", short: "f", in: .batch, for: [.batch], value: .text("NAME"),
                summary: "the JSON field that contains the receipt",
                details:
                    "NAME can be a path such as order.receipt or items[].jws; a field with exactly that name takes "
                    + "precedence, and a backslash makes a dot or a bracket part of a name. A field that is null, "
                    + "empty or an array without elements has no receipt and no result; --summary counts it. A line "
                    + "without the field is undecided (receipt-missing), and one that is not JSON is unverified "
                    + "(record-malformed). By default the complete line is read, and every receipt in it is verified. "
                    + "If none of the first 1,000 lines has the field, the run ends with exit code 2 and the names "
                    + "that are there, except with --line-buffered."
            )
        case .signatureField:
            .init(
                "signature-field", in: .batch, for: [.batch], value: .text("NAME"),
                summary: "the JSON field that contains the signature of a Google Play purchase",
                details:
                    "For purchases whose data is in the field of --field and whose signature is in another one. NAME "
                    + "can be a path, as for --field. A line without a signature can have a receipt of the App Store. "
                    + "Of lists of data and signatures, those at the same places belong together; if the lists have "
                    + "different lengths, the key of the app decides."
            )
        case .column:
            .init(
                "column", short: "c", in: .batch, for: [.batch], value: .text("NAME"),
                summary: "the CSV column that contains the receipt",
                details:
                    "NAME is the name of one column in the header row, which also tells whether commas, semicolons or "
                    + "tabs separate the columns. If the column contains JSON, NAME can be a path into it, such as "
                    + "payload.receipt; a path does not enter JSON inside a JSON string, which is searched for "
                    + "receipts as a whole. One run reads one column: App Store receipts and Google Play data in two "
                    + "columns "
                    + "need two runs. A cell that is empty, NULL, null or \\N has no receipt and no result; "
                    + "--summary counts it. A row that ends before the column is undecided (receipt-missing). If a "
                    + "quotation mark is not closed, so that lines may have been joined to one row, the exit code is 2 "
                    + "after all results. Text behind a closing quotation mark is part of the cell, as in "
                    + "spreadsheets. Input is UTF-8."
            )
        case .signatureColumn:
            .init(
                "signature-column", in: .batch, for: [.batch], value: .text("NAME"),
                summary: "the CSV column that contains the signature of a Google Play purchase",
                details:
                    "For purchases whose data is in the column of --column and whose signature is in another one. A "
                    + "row without a signature can have a receipt of the App Store. Both cells can be JSON arrays, as "
                    + "for --signature-field."
            )
        case .keep:
            .init(
                "keep", in: .batch, for: [.batch], value: .text("NAME", suggestions: ["all"]), isRepeatable: true,
                summary: "copy this column or JSON field into each result",
                details:
                    "Joins the results to your data: JSON Lines have the copies in input, CSV as the first columns. "
                    + "NAME is a column, or a field or path of JSON; all stands for everything but the receipt. JSON "
                    + "values are copied as they are written, and CSV cells as strings. In CSV results, what a "
                    + "spreadsheet could read as a formula gets an apostrophe, also behind apostrophes, at the "
                    + "beginning of a cell and behind a semicolon, a tab or a line break in it, and a column with the "
                    + "name of a field of the results gets input. before its name; JSON Lines have exact copies, to "
                    + "join by a key. On a terminal, control characters are escaped. What a record does not have is "
                    + "null or empty; input is null if the record cannot be read, or is too long to be copied. A field "
                    + "that no record has is named in a warning at the end."
            )
        case .everyRecord:
            .init(
                "every-record", in: .batch, for: [.batch],
                summary: "print exactly one result for each line or row",
                details:
                    "A line or row without a receipt, also a blank line, is undecided (empty), as is one without the "
                    + "field or column of the receipt (receipt-missing), and one with more than one receipt "
                    + "(too-many-receipts). With --line-buffered, a program can send a line and read one line as its "
                    + "answer."
            )
        case .wholeFiles:
            .init(
                "whole-files", in: .batch, for: [.batch],
                summary: "read each INPUT as one receipt, not line by line"
            )
        case .maxReceiptsPerRecord:
            .init(
                "max-receipts-per-record", in: .batch, for: [.batch], value: .text("N"), variable: .standard,
                summary: "the most receipts in one line or row, by default 64",
                details: "A record with more is undecided (too-many-receipts), and none of its receipts is verified."
            )
        case .allowEmpty:
            .init(
                "allow-empty", in: .batch, for: [.batch], isNegatable: true, variable: .standard,
                summary: "exit with 0 if the input contains no receipt",
                details:
                    "By default an input without a receipt, such as the output of a failed command, exits with 3 "
                    + "(nothing-to-verify)."
            )
        case .outputFormat:
            .init(
                "output-format", in: .batch, for: [.batch], value: .word("FORMAT", of: ["jsonl", "csv"]),
                summary: "the format of results: jsonl (the default) or csv",
                details:
                    "Without it, an --output FILE whose name ends with .csv gets CSV, and one with .jsonl or .ndjson "
                    + "JSON Lines."
            )
        case .spreadsheet:
            .init(
                "spreadsheet", in: .batch, for: [.batch],
                summary: "keep all digits of IDs when a spreadsheet opens the CSV",
                details:
                    "A spreadsheet reads an ID as a number and keeps 15 digits of it. So a cell of 12 digits or more, "
                    + "of digits that begin with a zero, or of digits around an E is written as a formula whose value "
                    + "is the text, =\"2000000123456789\", also if --keep has copied it. LibreOffice has to evaluate "
                    + "formulas when it opens the file. Leave it out if a program reads the results."
            )
        case .withPayload:
            .init(
                "payload", in: .batch, for: [.batch],
                summary: "add the verified payload to each result",
                details:
                    "The member payload has what the store has signed. The result of a receipt that is not verified "
                    + "does not have the member. For JSON Lines; --fields adds single values to CSV."
            )
        case .fields:
            .init(
                "fields", in: .batch, for: [.batch], value: .list("NAME,...", suggestions: Self.fieldNames),
                isRepeatable: true,
                summary: "print these fields, in this order",
                details:
                    "NAME is a column of the CSV results, such as verdict, or a field of the payload, with dots before "
                    + "nested names, such as quantity or data.status. transaction.expiresDate, "
                    + "renewalInfo.autoRenewStatus and the like are fields of the receipt of that kind: the receipt "
                    + "itself, or the one in a notification. payload.NAME is any member of the payload, also one that "
                    + "this version does not know. day and month are those of signing (of the purchase on Google "
                    + "Play, and with --sum) in UTC, or of --date-field in the zone of --timezone, leafSubject is the "
                    + "name of the signer's certificate, and signerNotBefore and signerNotAfter are "
                    + "the time in which the signer's certificates are valid. Dates are in RFC 3339, prices are "
                    + "decimals in units of their "
                    + "currency, and other values are as the store has signed them. What a receipt does not have is "
                    + "null or empty, also if it is not verified. A wrong name ends the run with exit code 2, and a "
                    + "payload.NAME that no receipt has is named in a warning at the end. Columns of the input are "
                    + "copied with --keep."
            )
        case .only:
            .init(
                "only", in: .batch, for: [.batch],
                value: .list("VERDICT,...", suggestions: Verdict.allCases.map(\.rawValue)), isRepeatable: true,
                summary: "print only the results with these verdicts",
                details:
                    "VERDICT is verified, unverified or undecided. --summary and the exit code count all results. Not "
                    + "with --every-record, whose results answer each record: choose them by their verdict afterwards."
            )
        case .since:
            .init(
                "since", in: .batch, for: [.batch], value: .text("TIME"),
                summary: "print only the results from this time on",
                details:
                    "TIME is a date such as 2025-10-01, which stands for the beginning of the day, or a time such as "
                    + "2025-10-01T18:00 or 2025-10-01T18:00:00+02:00. The signing time of each verified receipt is "
                    + "compared, with --sum the time of the purchase (see --date-field). Receipts that are not "
                    + "verified have no date, because anyone can "
                    + "have written the one in them: their results are left out, and so are those of receipts without "
                    + "the date; --summary counts both as undated. --summary and the exit code count all results."
            )
        case .until:
            .init(
                "until", in: .batch, for: [.batch], value: .text("TIME"),
                summary: "print only the results before this time",
                details:
                    "TIME is as for --since. A date includes that day: --since 2025-10-01 --until 2025-10-31 is "
                    + "October. A time is the first one that is left out."
            )
        case .timeZone:
            .init(
                "timezone", in: .batch, for: [.batch], value: .text("NAME", suggestions: ["UTC"]), variable: .standard,
                summary: "the time zone of --since, --until, days and months, by default UTC",
                details:
                    "NAME is a zone of the system's tz database, such as Europe/Berlin. A time that its clocks skip or "
                    + "repeat ends the run with exit code 2; with an offset from UTC, it is clear. The fields day and "
                    + "month of --count-by and --fields, and the days and months of --report, are in this zone. Other "
                    + "dates in results are in UTC in any case, so that equal receipts have equal results."
            )
        case .dateField:
            .init(
                "date-field", in: .batch, for: [.batch],
                value: .list(
                    "NAME,...", suggestions: Self.fieldNames.filter { $0.hasSuffix("Date") || $0.hasSuffix("Time") }),
                isRepeatable: true,
                summary: "the date of --since, --until, days and months",
                details:
                    "NAME is a date as in --fields; the first one that a receipt has is compared, and the fields day "
                    + "and month are of it. The default is signedDate,purchaseTime: the signing time, and the time of "
                    + "a Google Play purchase, which has none. With --sum, and for the revenue of --report, it is "
                    + "transaction.purchaseDate,purchaseTime. A server signs a transaction again each time it sends "
                    + "it, so choose purchaseDate to find "
                    + "what was bought in a period; transaction.purchaseDate is also found in notifications."
            )
        case .countBy: .countBy
        case .sum: .sum
        case .duplicates: .duplicates
        case .report: .report
        case .temporaryDirectory: .temporaryDirectory
        case .summary:
            .init(
                "summary", short: "s", in: .batch, for: [.batch],
                summary: "append counts by verdict, code, kind and environment",
                details: "With CSV output the counts are printed on standard error."
            )
        case .jobs:
            .init(
                "jobs", short: "j", in: .batch, for: [.batch], value: .text("N"), variable: .standard,
                summary: "the number of threads, by default one per processor"
            )
        case .lineBuffered:
            .init(
                "line-buffered", in: .batch, for: [.batch],
                summary: "write each result before reading the next line",
                details:
                    "For input that grows while it is read, such as a log or a queue behind a pipe. Slower for input "
                    + "that arrives in small pieces."
            )
        case .resume:
            .init(
                "resume", in: .batch, for: [.batch],
                summary: "continue an interrupted run of the same command",
                details:
                    "The inputs, options, roots and keys must be the same: an input that was changed, replaced or "
                    + "copied is another one, and standard input cannot be continued. Needs --output FILE. During a "
                    + "run, its results are in FILE.partial and its progress in FILE.checkpoint; both are removed when "
                    + "FILE is complete. FILE is then identical to that of an uninterrupted run. If there is nothing "
                    + "to continue, or FILE.partial was changed, the run starts from the beginning. A run without "
                    + "--resume replaces both, with a note."
            )

        // MARK: Redaction

        case .redact:
            .init(
                "redact", in: .output, for: Self.verifying,
                summary: "replace IDs and tokens, for results that leave the company",
                details:
                    "Transaction IDs, order IDs, tokens of purchases and accounts, other IDs of customers, and members "
                    + "of payloads that this version does not know get pseudonyms such as r-0f3c...; so do the names "
                    + "of inputs and all values that --keep copies. Equal IDs have equal pseudonyms everywhere in one "
                    + "run, and cannot be found from them. IDs in messages about a receipt are replaced too. Apps, "
                    + "products, prices, dates and certificates are kept. It cannot be used with --evidence, because "
                    + "the signed bytes contain the IDs. Messages on standard error can name inputs."
            )
        case .redactKey:
            .init(
                "redact-key", in: .output, for: Self.verifying, value: .file("FILE"),
                summary: "make the pseudonyms of --redact with the key in FILE",
                details:
                    "Runs with the same key have the same pseudonyms; without it, each run has a random key, and "
                    + "--resume cannot continue it. FILE has at least 32 bytes and is readable only by you; (umask "
                    + "077; openssl rand -hex 32 > FILE) makes one. Implies --redact."
            )

        // MARK: Evidence

        case .evidence:
            .init(
                "evidence", in: .output, for: [.explain], value: .folder("DIR"),
                summary: "write what other programs need to check the receipt",
                details:
                    "Creates DIR with the certificates, the public key, the signed bytes, the signature and the "
                    + "payload, and check.sh, which repeats the checks of the signature and the certificates with "
                    + "openssl alone. For an app receipt, the signed bytes are its attributes. A notification has a "
                    + "folder for each receipt inside it. The files are readable "
                    + "only by you."
            )

        // MARK: Responses

        case .excludeOldTransactions: .excludeOldTransactions
        case .transactionIDs: .transactionIDs
        case .subscriptions: .subscriptions

        // MARK: Test receipts

        case .authority: .authority
        case .payload: .payload
        case .set: .set
        case .type: .type
        case .form: .form
        case .notificationType: .notificationType
        case .subtype: .subtype
        case .mintedAt: .mintedAt
        case .seed: .seed
        case .count: .count
        case .force: .force
        case .flaw: .flaw
        case .allFlaws: .allFlaws
        case .listFlaws: .listFlaws

        // MARK: Output and general

        case .json:
            .init(
                "json", in: .output, for: [.verify, .explain, .inspect, .batch, .codes, .keys, .roots, .vectors],
                summary: "print JSON Lines, one object per result"
            )
        case .output: .output
        case .color: .color
        case .quiet: .quiet
        case .verbose:
            .init(
                "verbose", in: .output, for: [.verify, .batch],
                summary: "print statistics of the key cache on standard error",
                details: "They include how many keys were found in the cache and how many chains were validated."
            )
        case .help: .help
        case .version: .version
        case .generate: .generate
        case .jsonSchema:
            .init(
                "json-schema", in: .general, for: [.verify],
                summary: "print the JSON Schemas of results and of policy files",
                details:
                    "One schema (2020-12) a line, each with the name that the member schema has in the results. "
                    + "Operands choose some of them, as in verify-receipt --json-schema config-1."
            )
        }
    }
}

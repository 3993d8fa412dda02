internal import CommandLineInterface

/// The commands that judge receipts.
private let judging: [Command] = [.verify, .explain, .batch]

extension Flag {
    /// The table of flags: everything that is said of them anywhere is said here.
    var definition: FlagDefinition<Flag> {
        switch self {
        case .bundleID, .appAppleID, .environment, .kind, .productID, .refuseRevoked, .strict, .validAt: requirement
        case .root, .onlyGivenRoots, .playKey, .keyCache, .sealingKey: trust
        case .inputFormat, .field, .column, .wholeFiles, .outputFormat, .summary, .jobs, .lineBuffered, .resume: many
        case .authority, .payload, .count, .force: minting
        case .json, .output, .color, .quiet, .verbose, .help, .version, .generate: general
        }
    }

    // MARK: What a receipt must say

    private var requirement: FlagDefinition<Flag> {
        switch self {
        case .bundleID:
            .init(
                .requirements, judging + [.mint], short: "b", value: "ID", isRepeatable: true, readsEnvironment: true,
                summary: "accept receipts of this app",
                details: "The bundle id, or the package name on Google Play, whole and case-sensitive. Several may be "
                    + "given. ID=NUMBER adds the app's numeric App Store id, as --app-apple-id does for a single app. "
                    + "For mint: the bundle id that the receipt names."
            )
        case .appAppleID:
            .init(
                .requirements, judging + [.mint], value: "NUMBER", readsEnvironment: true,
                summary: "the app's numeric App Store id",
                details: "Compared where a receipt has one: notifications, app transactions and realtime requests. "
                    + "Needs exactly one --bundle-id."
            )
        case .environment:
            .init(
                .requirements, judging + [.mint], short: "e", value: "NAME", isRepeatable: true, readsEnvironment: true,
                completion: .words(["Production", "Sandbox", "Xcode", "LocalTesting"]),
                summary: "accept receipts of this environment",
                details: "Production, Sandbox, Xcode or LocalTesting. Google Play has no environments."
            )
        case .kind:
            .init(
                .requirements, judging + [.mint], short: "k", value: "KIND", isRepeatable: true,
                completion: .words([
                    "transaction", "renewal-info", "notification", "app-transaction", "realtime-request",
                    "play-purchase",
                ]),
                summary: "accept this kind of receipt",
                details: "transaction, renewal-info, notification, app-transaction, realtime-request or play-purchase. "
                    + "For mint: the kind that is made, by default transaction; play-purchase cannot be made."
            )
        case .productID:
            .init(
                .requirements, judging + [.mint], short: "p", value: "ID", isRepeatable: true,
                summary: "accept purchases of this product",
                details: "Checked in receipts that name a product. For mint: the product that the receipt names."
            )
        case .refuseRevoked:
            .init(
                .requirements, judging, isNegatable: true, readsEnvironment: true,
                summary: "refuse purchases that the store has revoked",
                details: "Without it a revoked purchase is verified and said to be revoked."
            )
        case .strict:
            .init(
                .requirements, judging, isNegatable: true, readsEnvironment: true,
                summary: "refuse whatever was not checked",
                details: "A receipt whose app or environment was not asked for, or could not be checked, is unverified."
            )
        default:
            .init(
                .requirements, judging, value: "TIME", completion: .words(["signing", "now"]), takesOtherWords: true,
                summary: "when certificates must be valid: signing, now, or a time",
                details: "signing is the default: the time at which the receipt says that it was signed, so that a "
                    + "genuine receipt stays genuine. now is the clock. A time is written as 2024-05-01T12:00:00Z."
            )
        }
    }

    // MARK: What is trusted

    private var trust: FlagDefinition<Flag> {
        switch self {
        case .root:
            .init(
                .trust, judging + [.roots], short: "r", value: "FILE", isRepeatable: true, readsEnvironment: true,
                completion: .files,
                summary: "trust the certificates in this file as roots",
                details: "DER, or PEM with one or more certificates. They are trusted beside Apple Root CA - G3, which "
                    + "is built in."
            )
        case .onlyGivenRoots:
            .init(
                .trust, judging + [.roots], isNegatable: true, readsEnvironment: true,
                summary: "do not trust the root that is built in"
            )
        case .playKey:
            .init(
                .trust, judging, value: "PACKAGE=FILE", isRepeatable: true, readsEnvironment: true,
                completion: .files,
                summary: "the public key of an app on Google Play",
                details: "The file holds the key as the Play Console shows it (base64), PEM or DER. Keys that arrive "
                    + "beside a purchase are never trusted."
            )
        case .keyCache:
            .init(
                .trust, judging + [.keys], value: "FILE", readsEnvironment: true, completion: .files,
                summary: "keep verified keys in this file from run to run",
                details: "The file is encrypted, authenticated and readable by you alone. One that was damaged or made "
                    + "with another key is ignored with a warning and written anew. explain does not use it."
            )
        default:
            .init(
                .trust, judging + [.keys], value: "FILE", readsEnvironment: true, completion: .files,
                summary: "the key that seals the key cache",
                details: "32 bytes, made when the file is not there. By default the key cache's name with .key added."
            )
        }
    }

    // MARK: Reading and writing many

    private var many: FlagDefinition<Flag> {
        switch self {
        case .inputFormat:
            .init(
                .many, [.batch], value: "FORMAT", completion: .words(["auto", "jsonl", "csv"]),
                summary: "how lines are read: auto, jsonl or csv",
                details:
                    "auto is the default: csv with --column, jsonl otherwise. A line of jsonl may also be a bare JWS."
            )
        case .field:
            .init(
                .many, [.batch], short: "f", value: "NAME",
                summary: "the receipt is this field of each line's JSON object",
                details: "Without it the whole line is taken, and every receipt in it is found."
            )
        case .column:
            .init(
                .many, [.batch], short: "c", value: "NAME",
                summary: "the receipt is in this column of the CSV input",
                details: "The column's name in the first row."
            )
        case .wholeFiles:
            .init(
                .many, [.batch],
                summary: "take each INPUT as one receipt instead of lines"
            )
        case .outputFormat:
            .init(
                .many, [.batch], value: "FORMAT", completion: .words(["jsonl", "csv"]),
                summary: "how results are written: jsonl or csv"
            )
        case .summary:
            .init(
                .many, [.batch], short: "s",
                summary: "add a last line with counts by verdict, code, kind and environment",
                details: "With CSV output the counts go to standard error."
            )
        case .lineBuffered:
            .init(
                .many, [.batch],
                summary: "write each result before another line has to come in",
                details: "For an input that is written to while it is read, such as a log or a queue behind a pipe. "
                    + "Slower than full blocks where lines come one by one."
            )
        case .resume:
            .init(
                .many, [.batch],
                summary: "go on where an interrupted run with the same inputs and options has stopped",
                details:
                    "Needs --output FILE. While a run lasts, its results are in FILE.partial and how far it has come "
                    + "in FILE.checkpoint; both go when FILE is complete, which is then the same as after a run without "
                    + "interruption. Where there is nothing to continue, the run begins at the beginning."
            )
        default:
            .init(
                .many, [.batch], short: "j", value: "N", readsEnvironment: true,
                summary: "verify on N threads, by default one for each processor"
            )
        }
    }

    // MARK: Test receipts

    private var minting: FlagDefinition<Flag> {
        switch self {
        case .authority:
            .init(
                .minting, [.mint], short: "a", value: "DIR", readsEnvironment: true, completion: .directories,
                summary: "the folder of the test authority; made when it is not there"
            )
        case .payload:
            .init(
                .minting, [.mint], value: "JSON", completion: .files,
                summary: "what the receipt says: JSON text, a file, or - for standard input",
                details: "It is signed as it is, byte for byte. Without it a realistic payload is made."
            )
        case .count:
            .init(
                .minting, [.mint], short: "n", value: "N",
                summary: "make N receipts, one a line, each with ids of its own"
            )
        default:
            .init(
                .minting, [.mint],
                summary: "replace the authority in the folder by a new one",
                details: "What the old one has signed no longer verifies with the new root.der."
            )
        }
    }

    // MARK: Output and general

    private var general: FlagDefinition<Flag> {
        switch self {
        case .json:
            .init(
                .output, [.verify, .explain, .inspect, .batch, .keys, .roots, .vectors],
                summary: "print JSON Lines, one object for each result"
            )
        case .output: .output
        case .color: .color
        case .quiet: .quiet
        case .verbose:
            .init(
                .output, [.verify, .batch],
                summary: "say on standard error what the key cache did",
                details: "How many verifications found their signer's key there, and how many chains were validated."
            )
        case .help: .help
        case .version: .version
        default: .generate
        }
    }
}

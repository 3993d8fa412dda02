internal import CommandLineInterface

/// The flags, in the order in which help lists them.
///
/// To add a flag, add a case and its row in ``definition``.
enum Flag: ToolFlag {
    typealias Command = purchases.Command

    case data, database, secrets, keyFile, secretService, user, all, tombstones
    case bundleID, environment, refuseRevoked, strict, root, onlyGivenRoots, distrust, playKey
    case json, output, color, quiet
    case help, version, generate

    /// The sections of help.
    enum Section: String, ToolSection {
        case files = "Files"
        case requirements = "Receipt requirements and trust"
        case output = "Output"
        case general = "General"
    }

    var definition: FlagDefinition<Flag> {
        switch self {

        // MARK: Files

        case .data:
            .init(
                "data", short: "d", in: .files, value: .folder("DIR"), variable: .standard,
                summary: "the app's folder, by default the current one",
                details: "It has purchases.sqlite, secrets/ and keys/sealing.key, as PurchaseFolder of the library."
            )
        case .database:
            .init(
                "database", in: .files, value: .file("FILE"), variable: .standard,
                summary: "the database, by default purchases.sqlite in --data"
            )
        case .secrets:
            .init(
                "secrets", in: .files, value: .folder("DIR"), variable: .standard,
                summary: "the sealed store with the database's key, by default secrets in --data"
            )
        case .keyFile:
            .init(
                "key-file", in: .files, value: .file("FILE"), variable: .standard,
                summary: "the key of the sealed store, by default keys/sealing.key in --data",
                details: "A file of mode 600 that belongs to you, in a folder that only you and root can change."
            )
        case .secretService:
            .init(
                "secret-service", in: .files, value: .text("STORE"), variable: .standard,
                summary: "take the key of the sealed store from the desktop's Secret Service, and not from a file",
                details: "STORE is the name under which the app keeps it."
            )
        case .user:
            .init(
                "user", short: "u", in: .files, for: [.list], value: .text("USER"),
                summary: "list only the purchases of this account"
            )
        case .all:
            .init(
                "all", in: .files, for: [.erase],
                summary: "delete everything of all users, and what belongs to no account",
                details: "Also deletes the log, the cached products and the verification keys."
            )

        case .tombstones:
            .init(
                "tombstones", in: .files, for: [.export],
                summary: "also print what keeps consumables of deleted users from being granted again",
                details: "import needs these lines, and verify-receipt batch cannot read them."
            )

        // MARK: Receipt requirements and trust

        case .bundleID:
            .init(
                "bundle-id", short: "b", in: .requirements, for: Command.verifying, value: .text("ID"),
                isRepeatable: true, variable: .standard,
                summary: "accept only receipts of this app",
                details: "ID is the bundle ID, or the package name on Google Play, and is case-sensitive."
            )
        case .environment:
            .init(
                "environment", short: "e", in: .requirements, for: Command.verifying,
                value: .word("NAME", of: ["Production", "Sandbox", "Xcode", "LocalTesting"]), isRepeatable: true,
                variable: .standard,
                summary: "accept only receipts of this environment",
                details: "NAME is Production, Sandbox, Xcode or LocalTesting. Google Play has no environments."
            )
        case .refuseRevoked:
            .init(
                "refuse-revoked", in: .requirements, for: Command.verifying, isNegatable: true, variable: .standard,
                summary: "reject purchases that the store has revoked"
            )
        case .strict:
            .init(
                "strict", in: .requirements, for: Command.verifying, isNegatable: true, variable: .standard,
                summary: "reject receipts of which not everything was checked"
            )
        case .root:
            .init(
                "root", short: "r", in: .requirements, for: Command.verifying, value: .file("FILE"),
                isRepeatable: true, variable: .standard,
                summary: "trust the certificates in FILE as roots",
                details: "FILE is DER or PEM. Apple Root CA - G3 is built in and trusted as well."
            )
        case .onlyGivenRoots:
            .init(
                "only-given-roots", in: .requirements, for: Command.verifying, isNegatable: true, variable: .standard,
                summary: "do not trust the built-in roots"
            )
        case .distrust:
            .init(
                "distrust", in: .requirements, for: Command.verifying, value: .file("SHA256|FILE"), isRepeatable: true,
                variable: .standard, addsToVariable: true,
                summary: "reject receipts with this certificate or key in their chain",
                details: "SHA256 is the digest of a certificate in DER or of a SubjectPublicKeyInfo, in 64 hexadecimal "
                    + "digits. FILE has a certificate in DER or PEM, whose key is distrusted in any certificate. It "
                    + "adds to its variable."
            )
        case .playKey:
            .init(
                "play-key", in: .requirements, for: Command.verifying, value: .file("PACKAGE=FILE"),
                isRepeatable: true, variable: .standard,
                summary: "use FILE as the public key of a Google Play app",
                details: "FILE contains the app's licence key as the Play Console shows it, or a key in PEM or DER."
            )

        // MARK: Output and general

        case .json:
            .init(
                "json", in: .output, for: Command.allCases.filter { $0 != .export },
                summary: "print JSON Lines, one object per result"
            )
        case .output: .output
        case .color: .color
        case .quiet: .quiet
        case .help: .help
        case .version: .version
        case .generate: .generate
        }
    }
}

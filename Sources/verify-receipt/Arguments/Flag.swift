/// A flag of the command line; the raw value is its long name.
///
/// The cases stand in the order in which help lists them.
enum Flag: String, CaseIterable, Sendable {
    // MARK: What a receipt must say
    case bundleID = "bundle-id"
    case appAppleID = "app-apple-id"
    case environment
    case kind
    case productID = "product-id"
    case refuseRevoked = "refuse-revoked"
    case strict
    case validAt = "at"

    // MARK: What is trusted
    case root
    case onlyGivenRoots = "only-given-roots"
    case playKey = "play-key"
    case keyCache = "key-cache"
    case sealingKey = "sealing-key"

    // MARK: Reading and writing many
    case inputFormat = "format"
    case field
    case column
    case wholeFiles = "whole-files"
    case outputFormat = "output-format"
    case summary
    case jobs
    case lineBuffered = "line-buffered"
    case resume

    // MARK: Test receipts
    case authority
    case payload
    case count
    case force

    // MARK: Output
    case json
    case output
    case color
    case quiet
    case verbose

    // MARK: General
    case help
    case version
    case generate

    /// The flag as it is written: `--bundle-id`.
    var spelling: String { "--\(rawValue)" }

    /// The commands that take this flag.
    var commands: [Command] { definition.commands }

    /// The environment variable that stands in for the flag, if there is one.
    var environmentVariable: String? {
        guard definition.readsEnvironment else { return nil }
        return "VERIFY_RECEIPT_" + String(rawValue.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// The flag with this short name.
    static func short(_ letter: Character) -> Flag? {
        allCases.first { $0.definition.short == letter }
    }
}

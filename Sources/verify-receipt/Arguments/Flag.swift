internal import CommandLineInterface

/// A flag of the command line; the raw value is its long name.
///
/// The cases stand in the order in which help lists them.
enum Flag: String, ToolFlag {
    typealias Command = verify_receipt.Command

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

    /// The headings under which help lists flags.
    enum Section: String, ToolSection {
        case requirements = "What a receipt must say"
        case trust = "What is trusted"
        case many = "Reading and writing many"
        case minting = "Test receipts"
        case output = "Output"
        case general = "General"
    }
}

internal import CommandLineInterface

/// A flag of the command line; the raw value is its long name.
///
/// The cases stand in the order in which help lists them.
enum Flag: String, ToolFlag {
    typealias Command = local_store.Command

    // MARK: Which store
    case store
    case account

    // MARK: A new store
    case bundleID = "bundle-id"
    case appAppleID = "app-apple-id"
    case appVersion = "app-version"
    case environment
    case seed
    case start
    case force

    // MARK: Purchases
    case quantity
    case token
    case offer
    case code
    case winBack = "win-back"

    // MARK: What comes after
    case reason
    case request
    case decline
    case reverse
    case recover
    case consent
    case fault

    // MARK: Many
    case kind
    case customers
    case span = "for"

    // MARK: Output
    case json
    case output
    case color
    case quiet

    // MARK: General
    case help
    case version
    case generate

    /// The headings under which help lists flags.
    enum Section: String, ToolSection {
        case place = "Which store"
        case beginning = "A new store"
        case purchase = "Purchases"
        case aftermath = "What comes after"
        case many = "Many at once"
        case output = "Output"
        case general = "General"
    }
}

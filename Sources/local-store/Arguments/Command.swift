internal import CommandLineInterface

/// What the tool can be asked to do; the raw value is the word on the command line.
enum Command: String, ToolCommand {
    case status
    case initialize = "init"
    case lint
    case products
    case accounts
    case settings
    case buy
    case approve
    case decline
    case finish
    case renew
    case expire
    case cancel
    case resume
    case changePlan = "change-plan"
    case raisePrice = "raise-price"
    case fail
    case refund
    case delete
    case advance
    case list
    case entitlements
    case export
    case simulate
}

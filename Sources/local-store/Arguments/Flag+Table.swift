internal import CommandLineInterface

/// The commands that work on a store.
private let inStore = Command.allCases.filter { $0 != .lint }
/// The commands that change a store.
private let changing: [Command] = [
    .accounts, .settings, .buy, .approve, .decline, .finish, .renew, .expire, .cancel, .resume, .changePlan,
    .raisePrice,
    .fail, .refund, .delete, .advance, .simulate,
]
/// The commands that are about one customer.
private let ofCustomer: [Command] = [
    .buy, .approve, .decline, .finish, .renew, .expire, .cancel, .resume, .changePlan, .raisePrice, .fail, .refund,
    .delete, .list, .entitlements, .export,
]

extension Flag {
    /// The table of flags: everything that is said of them anywhere is said here.
    var definition: FlagDefinition<Flag> {
        switch self {
        case .store, .account: place
        case .bundleID, .appAppleID, .appVersion, .environment, .seed, .start, .force: beginning
        case .quantity, .token, .offer, .code, .winBack: purchase
        case .reason, .request, .decline, .reverse, .recover, .consent, .fault: aftermath
        case .kind, .customers, .span: many
        case .json, .output, .color, .quiet, .help, .version, .generate: general
        }
    }

    private var place: FlagDefinition<Flag> {
        switch self {
        case .store:
            .init(
                .place, inStore, short: "s", value: "DIR", readsEnvironment: true, environmentVariable: "LOCAL_STORE",
                completion: .directories,
                summary: "the folder of the store, by default local-store"
            )
        default:
            .init(
                .place, ofCustomer, short: "a", value: "NAME",
                summary: "the customer; needed where there are several and it matters"
            )
        }
    }

    private var beginning: FlagDefinition<Flag> {
        switch self {
        case .bundleID:
            .init(
                .beginning, [.initialize], short: "b", value: "ID", readsEnvironment: true,
                summary: "the app's bundle id, by default com.example.app"
            )
        case .appAppleID:
            .init(
                .beginning, [.initialize], value: "NUMBER", readsEnvironment: true,
                summary: "the app's numeric App Store id"
            )
        case .appVersion:
            .init(.beginning, [.initialize], value: "VERSION", summary: "the app's version, by default 1")
        case .environment:
            .init(
                .beginning, [.initialize], short: "e", value: "NAME", readsEnvironment: true,
                completion: .words(["Sandbox", "Production", "Xcode", "LocalTesting"]),
                summary: "the environment that receipts name, by default Sandbox",
                details: "Sandbox, Production, Xcode or LocalTesting. Whatever it is, nothing verifies but under the "
                    + "store's own root."
            )
        case .seed:
            .init(
                .beginning, [.initialize, .simulate], value: "NUMBER",
                summary: "what ids and chance follow from",
                details: "By default a random number for init, and the store's seed for simulate."
            )
        case .start:
            .init(
                .beginning, [.initialize], value: "TIME",
                summary: "when the store's clock begins, by default a year ago",
                details: "Written as 2025-01-01T00:00:00Z."
            )
        default:
            .init(
                .beginning, [.initialize],
                summary: "begin anew in a folder that holds a store",
                details:
                    "Its .storekit file and its state are replaced. Its keys stay, because somebody may trust them."
            )
        }
    }

    private var purchase: FlagDefinition<Flag> {
        switch self {
        case .quantity:
            .init(.purchase, [.buy], short: "n", value: "N", summary: "how many of a consumable, 1 to 10")
        case .token:
            .init(
                .purchase, [.buy], short: "t", value: "UUID",
                summary: "the account of the app that the purchase is for"
            )
        case .offer:
            .init(
                .purchase, [.buy, .changePlan], value: "ID",
                summary: "with the promotional offer of this id"
            )
        case .code:
            .init(
                .purchase, [.buy, .changePlan], value: "NAME",
                summary: "with the offer code of this reference name"
            )
        default:
            .init(
                .purchase, [.buy, .changePlan], value: "ID",
                summary: "with the win-back offer of this id"
            )
        }
    }

    private var aftermath: FlagDefinition<Flag> {
        switch self {
        case .reason:
            .init(
                .aftermath, [.refund], value: "WHY", completion: .words(["other", "issue"]),
                summary: "why money is paid back: other, or issue of the app"
            )
        case .request: .init(.aftermath, [.refund], summary: "the customer asks for the money, and no more")
        case .decline:
            .init(.aftermath, [.refund, .raisePrice], summary: "the answer is no: to a refund, or to a higher price")
        case .reverse: .init(.aftermath, [.refund], summary: "take a refund back")
        case .recover: .init(.aftermath, [.fail], summary: "payments succeed again")
        case .consent: .init(.aftermath, [.raisePrice], summary: "the customer agrees to the higher price")
        default:
            .init(
                .aftermath, changing + [.entitlements], value: "PLACE=WHAT", isRepeatable: true,
                summary: "let something go wrong in this command",
                details: "Such as before-saving=crash; fail --help has what can go wrong where."
            )
        }
    }

    private var many: FlagDefinition<Flag> {
        switch self {
        case .kind:
            .init(
                .many, [.export], short: "k", value: "KIND", isRepeatable: true,
                completion: .words([
                    "transaction", "renewal-info", "notification", "app-transaction", "play-purchase",
                ]),
                summary: "only this kind of receipt",
                details: "transaction, renewal-info, notification, app-transaction or play-purchase."
            )
        case .customers:
            .init(.many, [.simulate], short: "c", value: "N", summary: "how many customers, by default 50")
        default:
            .init(.many, [.simulate], value: "DURATION", summary: "how long, by default P1Y")
        }
    }

    private var general: FlagDefinition<Flag> {
        switch self {
        case .json:
            .init(
                .output, Command.allCases.filter { $0 != .export },
                summary: "print JSON Lines, one object for each result"
            )
        case .output: .output
        case .color: .color
        case .quiet: .quiet
        case .help: .help
        case .version: .version
        default: .generate
        }
    }
}

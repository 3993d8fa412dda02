internal import CommandLineInterface

/// The flags, in the order in which help lists them.
///
/// To add a flag, add a case and its row in ``definition``.
enum Flag: ToolFlag {
    typealias Command = local_store.Command

    case store, account, wait
    case bundleID, appAppleID, appVersion, environment, seed, start, force
    case quantity, token, play, offer, code, winBack, billingPlan
    case reason, percentage, request, decline, reverse, recover, consent, withoutConsent
    case fault
    case kind, customers, span
    case json, output, color, quiet
    case help, version, generate

    /// The sections of help.
    enum Section: String, ToolSection {
        case store = "Store and customer"
        case creation = "New store"
        case purchase = "Purchases"
        case change = "Changes and faults"
        case bulk = "Export and simulation"
        case output = "Output"
        case general = "General"
    }

    /// The commands that change a store.
    private static let changing: [Command] = [
        .accounts, .settings, .buy, .approve, .decline, .finish, .renew, .expire, .cancel, .resume, .changePlan,
        .raisePrice, .fail, .refund, .delete, .advance, .simulate,
    ]

    /// The commands that concern one customer.
    private static let ofCustomer: [Command] = [
        .buy, .approve, .decline, .finish, .renew, .expire, .cancel, .resume, .changePlan, .raisePrice, .fail, .refund,
        .delete, .list, .entitlements, .export,
    ]

    var definition: FlagDefinition<Flag> {
        switch self {

        // MARK: Store and customer

        case .store:
            .init(
                "store", short: "s", in: .store, for: Command.allCases.filter { $0 != .lint },
                value: .folder("DIR"), variable: .named("LOCAL_STORE"),
                summary: "the folder of the store, by default local-store"
            )
        case .account:
            .init(
                "account", short: "a", in: .store, for: Self.ofCustomer, value: .text("NAME"),
                summary: "the customer; needed if several could be meant"
            )
        case .wait:
            .init(
                "wait", short: "w", in: .store, for: Self.changing + [.initialize], value: .text("SECONDS"),
                summary: "wait if another process is changing the store",
                details: "Without this flag, or when the time is over, the command ends with 2 and changes nothing."
            )

        // MARK: New store

        case .bundleID:
            .init(
                "bundle-id", short: "b", in: .creation, for: [.initialize], value: .text("ID"), variable: .standard,
                summary: "the app's bundle ID, by default com.example.app"
            )
        case .appAppleID:
            .init(
                "app-apple-id", in: .creation, for: [.initialize], value: .text("NUMBER"), variable: .standard,
                summary: "the app's App Store ID"
            )
        case .appVersion:
            .init(
                "app-version", in: .creation, for: [.initialize], value: .text("VERSION"),
                summary: "the app's version, by default 1"
            )
        case .environment:
            .init(
                "environment", short: "e", in: .creation, for: [.initialize],
                value: .word("NAME", of: ["Sandbox", "Production", "Xcode", "LocalTesting"]), variable: .standard,
                summary: "the environment in receipts, by default Sandbox",
                details:
                    "NAME is Sandbox, Production, Xcode or LocalTesting. In every environment, receipts verify only "
                    + "under the store's own root."
            )
        case .seed:
            .init(
                "seed", in: .creation, for: [.initialize, .simulate], value: .text("NUMBER"),
                summary: "the seed of IDs and random choices",
                details: "The default is a random number for init, and the store's seed for simulate."
            )
        case .start:
            .init(
                "start", in: .creation, for: [.initialize], value: .text("TIME"),
                summary: "the first time of the store's clock, by default a year ago",
                details: "TIME is written as 2025-01-01T00:00:00Z."
            )
        case .force:
            .init(
                "force", in: .creation, for: [.initialize],
                summary: "replace the store that the folder contains",
                details:
                    "Its .storekit file and its state are replaced. Its keys stay, because other programs may trust "
                    + "its root."
            )

        // MARK: Purchases

        case .quantity:
            .init(
                "quantity", short: "n", in: .purchase, for: [.buy, .refund], value: .text("N"),
                summary: "the quantity, 1 to 10, by default 1",
                details:
                    "Only consumables and non-renewing subscriptions are sold in quantities. For refund, the number of "
                    + "items to refund; by default all."
            )
        case .token:
            .init(
                "token", short: "t", in: .purchase, for: [.buy], value: .text("UUID"),
                summary: "the app account token of the purchase"
            )
        case .play:
            .init(
                "play", in: .purchase, for: [.buy],
                summary: "buy in Google Play, and print the signed purchase"
            )
        case .offer:
            .init(
                "offer", in: .purchase, for: [.buy, .changePlan], value: .text("ID"),
                summary: "redeem the promotional offer with this ID"
            )
        case .code:
            .init(
                "code", in: .purchase, for: [.buy, .changePlan], value: .text("NAME"),
                summary: "redeem the offer code with this reference name"
            )
        case .winBack:
            .init(
                "win-back", in: .purchase, for: [.buy, .changePlan], value: .text("ID"),
                summary: "redeem the win-back offer with this ID"
            )

        case .billingPlan:
            .init(
                "billing-plan", in: .purchase, for: [.buy, .changePlan],
                value: .word("PLAN", of: ["upfront", "monthly"]),
                summary: "the payment schedule of a subscription",
                details:
                    "PLAN is upfront for one payment for each period, or monthly for a payment each month, with a "
                    + "commitment to all months of the period. products lists the plans."
            )

        // MARK: Changes and faults

        case .reason:
            .init(
                "reason", in: .change, for: [.refund], value: .word("WHY", of: ["other", "issue"]),
                summary: "the reason of the refund: other, or issue of the app"
            )
        case .percentage:
            .init(
                "percentage", in: .change, for: [.refund], value: .text("NUMBER"),
                summary: "refund only this share of the price, such as 33.3"
            )
        case .request:
            .init(
                "request", in: .change, for: [.refund],
                summary: "request the refund, without granting it"
            )
        case .decline:
            .init(
                "decline", in: .change, for: [.refund, .raisePrice],
                summary: "decline the requested refund, or the higher price"
            )
        case .reverse:
            .init(
                "reverse", in: .change, for: [.refund],
                summary: "reverse a refund"
            )
        case .recover:
            .init(
                "recover", in: .change, for: [.fail],
                summary: "let payments succeed again"
            )
        case .consent:
            .init(
                "consent", in: .change, for: [.raisePrice],
                summary: "accept the higher price for the customer"
            )
        case .withoutConsent:
            .init(
                "without-consent", in: .change, for: [.raisePrice],
                summary: "increase the price without asking the customer"
            )
        case .fault:
            .init(
                "fault", in: .change, for: Self.changing + [.entitlements],
                value: .text("PLACE=WHAT"), isRepeatable: true,
                summary: "inject a fault into this command",
                details: "For example before-saving=crash. The help of fail lists all faults."
            )

        // MARK: Export and simulation

        case .kind:
            .init(
                "kind", short: "k", in: .bulk, for: [.export],
                value: .word(
                    "KIND",
                    of: [
                        "transaction", "renewal-info", "notification", "app-transaction", "play-purchase",
                        "app-receipt",
                    ]
                ),
                isRepeatable: true,
                summary: "export only receipts of this kind",
                details: "KIND is transaction, renewal-info, notification, app-transaction, play-purchase or "
                    + "app-receipt. App receipts, one for each customer, are exported only with this flag; their root "
                    + "is app-receipt-root.der."
            )
        case .customers:
            .init(
                "customers", short: "c", in: .bulk, for: [.simulate], value: .text("N"),
                summary: "the number of customers to add, by default 50"
            )
        case .span:
            .init(
                "for", in: .bulk, for: [.simulate], value: .text("DURATION"),
                summary: "the time to simulate, by default P1Y"
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

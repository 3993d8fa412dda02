internal import CommandLineInterface

/// How purchases and subscriptions are named, in the words of several commands.
private let purchaseNaming =
    "A purchase is named by its transaction id, or by its product: then the latest one of it is meant."
private let subscriptionNaming =
    "A subscription is named by any of its transaction ids, or by its product. It can be left out where there is but one."

extension Command {
    /// The table of commands: everything that is said of them anywhere is said here.
    var definition: CommandDefinition {
        switch self {
        case .status, .initialize, .lint, .products, .accounts, .settings: standing
        case .buy, .approve, .decline, .finish: purchase
        case .renew, .expire, .cancel, .resume, .changePlan, .raisePrice: subscription
        case .fail, .refund, .delete, .advance: event
        case .list, .entitlements, .export, .simulate: report
        }
    }

    // MARK: The store itself

    private var standing: CommandDefinition {
        switch self {
        case .status:
            .init(
                operands: "",
                summary: "say where the store stands",
                description: ["Prints the store's app, its time, and how much there is of everything."],
                examples: [
                    .init(
                        purpose: "A store, a purchase and a month",
                        line: "local-store init app.storekit && local-store buy pro.monthly && local-store advance P1M"
                    ),
                    .init(
                        purpose: "What came of it, verified",
                        line: "local-store export out && "
                            + "verify-receipt batch out/receipts --root out/root.der --play-key ID=out/play-key.txt"
                    ),
                ]
            )
        case .initialize:
            .init(
                operands: "FILE.storekit",
                summary: "make a store from a .storekit file",
                description: [
                    "Makes the folder of --store with a copy of the file, an authority with new keys and an empty "
                        + "state. A folder that holds a store already is left alone without --force.",
                    "The store's clock begins at --start, by default a year ago, so that a simulated year has room: a "
                        + "verifier refuses what is signed in its own future.",
                ],
                examples: [
                    .init(
                        purpose: "A store that is the same each time",
                        line: "local-store init app.storekit --bundle-id com.example.app --seed 7 "
                            + "--start 2025-01-01T00:00:00Z"
                    )
                ]
            )
        case .lint:
            .init(
                operands: "FILE.storekit...",
                summary: "say what is wrong with .storekit files, and where",
                description: [
                    "Prints one line for each finding: file, line, column, error or warning, and what to put right. "
                        + "Ends with 1 when there is an error. Needs no store; - is standard input."
                ],
                examples: [.init(purpose: "Before a commit", line: "local-store lint app.storekit")]
            )
        case .products:
            .init(
                operands: "",
                summary: "list what the store sells",
                description: [
                    "Prints each product with its price in the store's storefront, its period and its offers."
                ],
                examples: [.init(purpose: "For a program", line: "local-store products --json")]
            )
        case .accounts:
            .init(
                operands: "[list | add NAME [FAMILY] | join NAME FAMILY | leave NAME]",
                summary: "list customers, add one, and put them into families",
                description: [
                    "A new store has one customer, named customer. add makes another one. Who joins a family shares "
                        + "what its members have bought and can be shared; who leaves it loses that."
                ],
                actions: ["list", "add", "join", "leave"],
                examples: [
                    .init(purpose: "A second member", line: "local-store accounts add child smith")
                ]
            )
        default:
            .init(
                operands: "[NAME=VALUE]...",
                summary: "show how the store behaves, or change it",
                description: [
                    "Without operands it prints all settings. The names: ask-to-buy, interrupted-purchases, "
                        + "failing-renewals and grace-period take on or off; storefront takes three letters such as "
                        + "USA, locale a language such as en_US, and time-rate a number as in the .storekit file, where "
                        + "0 is real time.",
                    "The settings begin as the .storekit file has them.",
                ],
                examples: [
                    .init(
                        purpose: "Renewals fail, with days of grace",
                        line: "local-store settings failing-renewals=on grace-period=on"
                    )
                ]
            )
        }
    }

    // MARK: Purchases

    private var purchase: CommandDefinition {
        switch self {
        case .buy:
            .init(
                operands: "PRODUCT",
                summary: "buy a product for a customer",
                description: [
                    "Prints the transaction that came of it. An introductory offer applies by itself where the customer "
                        + "is eligible; other offers are asked for. A subscription of a group that the customer has "
                        + "already is an upgrade at once or a change at the next renewal, as levels and periods have it.",
                    "With ask-to-buy or interrupted-purchases (see settings) the purchase waits: approve or decline "
                        + "it. Ends with 1 when the store refuses.",
                ],
                examples: [
                    .init(
                        purpose: "Three of a consumable for an account of the app",
                        line: "local-store buy com.example.app.coins --quantity 3 "
                            + "--token 7e3fb20b-4cdb-47cc-936d-99d65f608138"
                    )
                ]
            )
        case .approve:
            .init(
                operands: "[ID]",
                summary: "let a waiting purchase go through",
                description: [
                    "Approves what Ask to Buy holds back, and resolves a purchase that was interrupted. ID is that of "
                        + "the waiting purchase (list pending) or its product; it can be left out where one waits."
                ],
                examples: [.init(purpose: "The only one that waits", line: "local-store approve")]
            )
        case .decline:
            .init(
                operands: "[ID]",
                summary: "end a waiting purchase",
                description: [
                    "Declines what Ask to Buy holds back, of which an app never hears, and gives up a purchase that was "
                        + "interrupted."
                ],
                examples: [.init(purpose: "By its product", line: "local-store decline com.example.app.coins")]
            )
        default:
            .init(
                operands: "ID...",
                summary: "finish transactions, as an app does",
                description: [
                    "A transaction that is not finished is delivered again each time that an app is launched. "
                        + purchaseNaming
                ],
                examples: [.init(purpose: "What is still to be finished", line: "local-store list unfinished")]
            )
        }
    }

    // MARK: Subscriptions

    private var subscription: CommandDefinition {
        switch self {
        case .renew:
            .init(
                operands: "[ID]",
                summary: "renew a subscription now",
                description: ["The next period begins at once, whatever is left of this one. " + subscriptionNaming],
                examples: [.init(purpose: "By product", line: "local-store renew com.example.app.pro.monthly")]
            )
        case .expire:
            .init(
                operands: "[ID]",
                summary: "end a subscription now",
                description: [
                    "The subscription is over at the store's time, and renews no more. " + subscriptionNaming
                ],
                examples: [.init(purpose: "By product", line: "local-store expire com.example.app.pro.monthly")]
            )
        case .cancel:
            .init(
                operands: "[ID]",
                summary: "switch off a subscription's renewal, as a customer does",
                description: ["It lasts until the end of its period; resume takes that back. " + subscriptionNaming],
                examples: [.init(purpose: "By product", line: "local-store cancel com.example.app.pro.monthly")]
            )
        case .resume:
            .init(
                operands: "[ID]",
                summary: "switch a subscription's renewal on again",
                description: [subscriptionNaming],
                examples: [.init(purpose: "By product", line: "local-store resume com.example.app.pro.monthly")]
            )
        case .changePlan:
            .init(
                operands: "ID PRODUCT",
                summary: "change a subscription to another product of its group",
                description: [
                    "A higher level, or the same with the same period, takes its place at once; everything else at the "
                        + "next renewal. " + subscriptionNaming
                ],
                examples: [
                    .init(
                        purpose: "From one product to another",
                        line: "local-store change-plan com.example.app.pro.monthly com.example.app.pro.yearly"
                    )
                ]
            )
        default:
            .init(
                operands: "ID [PRICE]",
                summary: "ask a subscriber for a higher price, and answer",
                description: [
                    "With a PRICE such as 5.99 the store asks; with --consent the customer agrees and pays it from the "
                        + "next renewal on; with --decline the subscription ends then. " + subscriptionNaming
                ],
                examples: [
                    .init(
                        purpose: "Ask and agree",
                        line: "local-store raise-price com.example.app.pro.monthly 5.99 && "
                            + "local-store raise-price com.example.app.pro.monthly --consent"
                    )
                ]
            )
        }
    }

    // MARK: What befalls purchases

    private var event: CommandDefinition {
        switch self {
        case .fail:
            .init(
                operands: "[ID]",
                summary: "let the payments of a subscription fail, or succeed again",
                description: [
                    "From its next renewal on the subscription is in billing retry, with grace where the settings say "
                        + "so. --recover ends that: the customer's card works again, and what is due is paid at once. "
                        + subscriptionNaming,
                    "To let the renewals of all fail, use settings failing-renewals=on.",
                    "What else goes wrong is told to a command by --fault PLACE=WHAT, or PLACE:N=WHAT for the Nth time "
                        + "alone. A command that changes the store passes before-saving, after-saving and "
                        + "before-answering, and can crash there. entitlements passes history, unfinished-transactions "
                        + "and subscription-statuses, which fail with an error such as network, and signing, where a "
                        + "text gets an unknown-root or a flip-bit.",
                ],
                examples: [
                    .init(
                        purpose: "A card that expires, and a new one",
                        line: "local-store fail pro.monthly && local-store advance P40D && "
                            + "local-store fail pro.monthly --recover"
                    ),
                    .init(
                        purpose: "What an app does with a text that somebody has changed",
                        line: "local-store entitlements --fault signing:1=flip-bit"
                    ),
                ]
            )
        case .refund:
            .init(
                operands: "[ID]",
                summary: "pay a purchase back, or take that back",
                description: [
                    "The transaction is signed anew with a revocation. --request only asks for it, with a consumption "
                        + "request to your server; --decline refuses such a request; --reverse takes a refund back. "
                        + purchaseNaming
                ],
                examples: [
                    .init(
                        purpose: "Because of an issue with the app",
                        line: "local-store refund com.example.app.coins --reason issue"
                    )
                ]
            )
        case .delete:
            .init(
                operands: "ID...",
                summary: "remove transactions as if they had never been",
                description: ["For tests that begin anew; no notification is sent. " + purchaseNaming],
                examples: [.init(purpose: "By product", line: "local-store delete com.example.app.coins")]
            )
        default:
            .init(
                operands: "TIME | DURATION",
                summary: "let the store's time pass, with all that is due meanwhile",
                description: [
                    "Renewals, failures, the ends of grace and expiries happen in their order. A TIME is written as "
                        + "2025-06-01T12:00:00Z, a DURATION as P1M, P3DT12H or PT90S. Time only goes forward."
                ],
                examples: [.init(purpose: "A year and a day", line: "local-store advance P1Y1D")]
            )
        }
    }

    // MARK: What is there

    private var report: CommandDefinition {
        switch self {
        case .list:
            .init(
                operands: "[transactions | subscriptions | pending | unfinished | notifications]",
                summary: "list transactions, or what else the store knows",
                description: [
                    "By default the transactions of all customers, in the order in which they were made; --account names "
                        + "one customer."
                ],
                actions: ["transactions", "subscriptions", "pending", "unfinished", "notifications"],
                examples: [
                    .init(purpose: "One customer's subscriptions", line: "local-store list subscriptions -a child")
                ]
            )
        case .entitlements:
            .init(
                operands: "",
                summary: "what an app would grant its customers, and why",
                description: [
                    "Fetches what the store gives an app, verifies each text under the store's root, and computes "
                        + "entitlements as the purchase core does. Each product stands for an entitlement of its own; a "
                        + "consumable has a balance."
                ],
                examples: [.init(purpose: "For one customer", line: "local-store entitlements --account customer")]
            )
        case .export:
            .init(
                operands: "[DIR]",
                summary: "write out what the store has signed",
                description: [
                    "Into a folder: root.der and root.pem, play-key.txt, and in receipts one file each for "
                        + "transactions, renewal infos, app transactions, notifications and Google Play purchases. "
                        + "Give the folder to verify-receipt batch.",
                    "Without DIR one JSON object a line goes to standard output, with the members kind, account, "
                        + "transactionId, productId and receipt, or data and signature for Google Play. Give that to "
                        + "verify-receipt batch, and authority/root.der of the store's folder to --root.",
                ],
                examples: [
                    .init(
                        purpose: "All transactions, verified at once",
                        line: "local-store export --kind transaction | "
                            + "verify-receipt batch --root local-store/authority/root.der"
                    )
                ]
            )
        default:
            .init(
                operands: "",
                summary: "let many customers live for a year",
                description: [
                    "Adds --customers customers and lets them buy, renew, cancel, change plans, fall behind with "
                        + "payments and ask for their money back, for the time of --for. What they do follows from the "
                        + "store's seed, or from --seed."
                ],
                examples: [.init(purpose: "Fifty customers for a year", line: "local-store simulate --customers 50")]
            )
        }
    }
}

internal import CommandLineInterface

/// The commands, in the order in which help lists them.
///
/// To add a command, add a case and its row in ``definition``, and run it in `LocalStoreTool.perform(_:)`.
enum Command: ToolCommand {
    case status, initialize, lint, products, accounts, settings
    case buy, approve, decline, finish
    case renew, expire, cancel, resume, changePlan, raisePrice
    case fail, refund, delete, advance
    case list, entitlements, export, simulate

    private static let purchaseOperand =
        "A purchase is named by its transaction ID or by its product, which means the latest purchase of it."
    private static let subscriptionOperand =
        "A subscription is named by any of its transaction IDs or by its product."
    private static let optionalSubscription = subscriptionOperand + " If there is only one, ID can be omitted."

    var definition: CommandDefinition {
        switch self {

        // MARK: The store

        case .status:
            .init(
                "status",
                summary: "print the state of the store",
                description: ["Prints the store's app and time, and how many items of each kind it has."],
                examples: [
                    .init(
                        "Create a store, buy a product and advance a month",
                        "local-store init && local-store buy com.example.app.pro.monthly "
                            + "&& local-store advance P1M"
                    ),
                    .init(
                        "Verify the resulting receipts",
                        "local-store export out && "
                            + "verify-receipt batch out/receipts --root out/root.der "
                            + "--play-key com.example.app=out/play-key.txt"
                    ),
                ]
            )
        case .initialize:
            .init(
                "init", operands: "[FILE.storekit]",
                summary: "create a store from a .storekit file",
                description: [
                    "Creates the folder of --store with a copy of the file, a certificate authority with new keys, "
                        + "and an empty state. Without a file, the store has the products of a sample. A folder that "
                        + "already contains a store is replaced only with --force.",
                    "The store's clock starts at --start, by default a year ago. That leaves room to simulate a year, "
                        + "because a verifier rejects receipts that were signed in the future.",
                ],
                examples: [
                    .init(
                        "Create a reproducible store",
                        "local-store init app.storekit --bundle-id com.example.app --seed 7 "
                            + "--start 2025-01-01T00:00:00Z"
                    )
                ]
            )
        case .lint:
            .init(
                "lint", operands: "FILE.storekit...",
                summary: "check .storekit files for mistakes",
                description: [
                    "Prints one line per finding: file, line, column, error or warning, and how to correct it. Exits "
                        + "with 1 if there is an error. Needs no store; - is standard input."
                ],
                examples: [.init("Check a file before a commit", "local-store lint app.storekit")]
            )
        case .products:
            .init(
                "products",
                summary: "list the products of the store",
                description: [
                    "Prints each product with its price in the store's storefront, its period and its offers."
                ],
                examples: [.init("Print the products as JSON", "local-store products --json")]
            )
        case .accounts:
            .init(
                "accounts", operands: "[list | add NAME [FAMILY] | join NAME FAMILY | leave NAME]",
                actions: ["list", "add", "join", "leave"],
                summary: "list or add customers, and manage families",
                description: [
                    "A new store has one customer, named customer; add creates another one. A customer in a family "
                        + "shares the family-shareable purchases of its members, and loses them on leaving it."
                ],
                examples: [
                    .init("Add a customer to a family", "local-store accounts add child smith")
                ]
            )
        case .settings:
            .init(
                "settings", operands: "[NAME=VALUE]...",
                summary: "print or change the settings of the store",
                description: [
                    "Without operands, prints all settings. ask-to-buy, interrupted-purchases and failing-renewals "
                        + "are on or off. grace-period is off or 3, 16 or 28 days, where on means 16. storefront is a "
                        + "three-letter code such as USA, locale a language such as en_US, and time-rate a number as "
                        + "in the .storekit file, where 0 is real time.",
                    "A setting such as error-purchase makes calls of the app fail: it is off, or the code of an error "
                        + "such as network. period:PRODUCT is the length of a non-renewing subscription, such as P30D, "
                        + "or off; only entitlements uses it, because the store does not know this length.",
                    "The initial settings are those of the .storekit file.",
                ],
                examples: [
                    .init(
                        "Let renewals fail, with a grace period",
                        "local-store settings failing-renewals=on grace-period=on"
                    )
                ]
            )

        // MARK: Purchases

        case .buy:
            .init(
                "buy", operands: "PRODUCT",
                summary: "buy a product for a customer",
                description: [
                    "Prints the resulting transaction. An introductory offer applies automatically if the customer is "
                        + "eligible; other offers need their flag. Buying another subscription of a group that the "
                        + "customer is subscribed to changes the plan, at once or at the next renewal, depending on "
                        + "their levels and periods.",
                    "With the setting ask-to-buy or interrupted-purchases, the purchase stays pending until approve or "
                        + "decline. With ask-to-buy, it is removed after 24 hours of the simulated clock. Exits with 1 "
                        + "if the store rejects the purchase.",
                    "With --play, the customer buys in Google Play, which knows no offer but an introductory one. The "
                        + "result is one JSON object with the members data and signature, as a device receives them "
                        + "and as verify-receipt reads them; export writes the key to verify them with into "
                        + "play-key.txt. Google Play refunds a purchase that is not finished within three days.",
                ],
                examples: [
                    .init(
                        "Buy in Google Play and verify the purchase",
                        "local-store export out && local-store buy com.example.app.lifetime --play | "
                            + "verify-receipt --play-key com.example.app=out/play-key.txt"
                    ),
                    .init(
                        "Buy three consumables with an app account token",
                        "local-store buy com.example.app.coins --quantity 3 "
                            + "--token 7e3fb20b-4cdb-47cc-936d-99d65f608138"
                    ),
                ]
            )
        case .approve:
            .init(
                "approve", operands: "[ID]",
                summary: "complete a pending purchase",
                description: [
                    "Approves a purchase that waits for Ask to Buy, or resolves an interrupted one. ID is the ID of "
                        + "the pending purchase (see list pending) or its product. If only one is pending, ID can be "
                        + "omitted."
                ],
                examples: [.init("Approve the only pending purchase", "local-store approve")]
            )
        case .decline:
            .init(
                "decline", operands: "[ID]",
                summary: "decline a pending purchase",
                description: [
                    "Declines a purchase that waits for Ask to Buy, without notifying the app, or abandons an "
                        + "interrupted one."
                ],
                examples: [.init("Decline by product", "local-store decline com.example.app.coins")]
            )
        case .finish:
            .init(
                "finish", operands: "ID...",
                summary: "finish transactions, as an app does",
                description: [
                    "An unfinished transaction is delivered again at every launch of the app. " + Self.purchaseOperand
                ],
                examples: [.init("List what is not finished yet", "local-store list unfinished")]
            )

        // MARK: Subscriptions

        case .renew:
            .init(
                "renew", operands: "[ID]",
                summary: "renew a subscription now",
                description: [
                    "The next period starts at once, even if the current one has time left. Where payments fail, "
                        + "the renewal fails instead. " + Self.optionalSubscription
                ],
                examples: [.init("Renew by product", "local-store renew com.example.app.pro.monthly")]
            )
        case .expire:
            .init(
                "expire", operands: "[ID]",
                summary: "expire a subscription now",
                description: [
                    "The subscription ends at the store's current time and does not renew. The last instant of a "
                        + "period belongs to it, so the clock then advances by a millisecond. "
                        + Self.optionalSubscription
                ],
                examples: [.init("Expire by product", "local-store expire com.example.app.pro.monthly")]
            )
        case .cancel:
            .init(
                "cancel", operands: "[ID]",
                summary: "turn off the auto-renewal of a subscription",
                description: [
                    "The subscription lasts until the end of its period, or of its commitment to monthly payments; in "
                        + "billing retry it ends at once. resume turns auto-renewal on again. "
                        + Self.optionalSubscription
                ],
                examples: [.init("Cancel by product", "local-store cancel com.example.app.pro.monthly")]
            )
        case .resume:
            .init(
                "resume", operands: "[ID]",
                summary: "turn the auto-renewal of a subscription on again",
                description: [Self.optionalSubscription],
                examples: [.init("Resume by product", "local-store resume com.example.app.pro.monthly")]
            )
        case .changePlan:
            .init(
                "change-plan", operands: "ID PRODUCT",
                summary: "change a subscription to another product of its group",
                description: [
                    "A product of a higher level, or of the same level and period, replaces the current one at once. "
                        + "Any other change happens at the next renewal, or after a commitment to monthly payments. "
                        + Self.subscriptionOperand
                ],
                examples: [
                    .init(
                        "Change from monthly to yearly",
                        "local-store change-plan com.example.app.pro.monthly com.example.app.pro.yearly"
                    )
                ]
            )
        case .raisePrice:
            .init(
                "raise-price", operands: "ID [PRICE]",
                summary: "request a price increase, or answer it for the customer",
                description: [
                    "With a PRICE such as 5.99, the store asks the customer for consent. With --consent the customer "
                        + "pays the new price from the next renewal; with --decline the subscription ends at that "
                        + "renewal. With a PRICE and --without-consent, the store needs no consent, and the customer "
                        + "pays the new price from the next renewal. "
                        + Self.subscriptionOperand
                ],
                examples: [
                    .init(
                        "Request and accept a price increase",
                        "local-store raise-price com.example.app.pro.monthly 5.99 && "
                            + "local-store raise-price com.example.app.pro.monthly --consent"
                    )
                ]
            )

        // MARK: Events

        case .fail:
            .init(
                "fail", operands: "[ID]",
                summary: "let the payments of a subscription fail, or succeed again",
                description: [
                    "At its next renewal the subscription enters billing retry, with a grace period if the settings "
                        + "include one. With --recover, payments succeed again and the due renewal is paid at once. "
                        + Self.optionalSubscription,
                    "To let the renewals of all subscriptions fail, use settings failing-renewals=on.",
                    "Other faults are injected into a command with --fault PLACE=WHAT, or with PLACE:N=WHAT for the "
                        + "Nth occurrence only. Commands that change the store have the places before-saving, "
                        + "after-saving and before-answering, where they can crash. entitlements has the places "
                        + "history, unfinished-transactions and subscription-statuses, which can fail with an error "
                        + "such as network, and signing, where unknown-root and flip-bit make the signed data invalid.",
                ],
                examples: [
                    .init(
                        "Let a payment fail and recover it",
                        "local-store fail com.example.app.pro.monthly && local-store advance P40D && "
                            + "local-store fail com.example.app.pro.monthly --recover"
                    ),
                    .init(
                        "See the entitlements when a transaction has been tampered with",
                        "local-store entitlements --fault signing:1=flip-bit"
                    ),
                ]
            )
        case .refund:
            .init(
                "refund", operands: "[ID]",
                summary: "refund a purchase, or reverse a refund",
                description: [
                    "The transaction is signed again, with a revocation. --request only requests the refund, for which "
                        + "the store makes a notification CONSUMPTION_REQUEST; --decline declines that request; "
                        + "--reverse reverses a refund. --quantity and --percentage refund a part: the transaction is "
                        + "revoked all the same, and its data says which share was refunded. " + Self.purchaseOperand
                ],
                examples: [
                    .init(
                        "Refund because of an issue with the app",
                        "local-store refund com.example.app.coins --reason issue"
                    )
                ]
            )
        case .delete:
            .init(
                "delete", operands: "ID...",
                summary: "delete transactions, as if they had not happened",
                description: [
                    "Lets a test start again. The store makes no notification of it; earlier ones about the "
                        + "transactions stay. " + Self.purchaseOperand
                ],
                examples: [.init("Delete by product", "local-store delete com.example.app.coins")]
            )
        case .advance:
            .init(
                "advance", operands: "TIME | DURATION | next",
                summary: "advance the store's clock",
                description: [
                    "Everything that is due happens in order: renewals, failed payments, ends of grace periods, "
                        + "expirations, and refunds of Google Play purchases that are not finished in time. A TIME is "
                        + "written as 2025-06-01T12:00:00Z, a DURATION as P1M, P3DT12H or PT90S; next is the time of "
                        + "the next of these events. The clock cannot go back."
                ],
                examples: [
                    .init("Advance a year and a day", "local-store advance P1Y1D"),
                    .init("Advance to the next renewal or expiration", "local-store advance next"),
                ]
            )

        // MARK: Reports

        case .list:
            .init(
                "list", operands: "[transactions | subscriptions | pending | unfinished | notifications]",
                actions: ["transactions", "subscriptions", "pending", "unfinished", "notifications"],
                summary: "list transactions, subscriptions or notifications",
                description: [
                    "The default is the transactions of all customers, oldest first; --account selects one customer."
                ],
                examples: [
                    .init("List the subscriptions of a customer", "local-store list subscriptions -a child")
                ]
            )
        case .entitlements:
            .init(
                "entitlements",
                summary: "print what an app would grant its customers, and why",
                description: [
                    "Fetches the signed data of each customer, verifies it under the store's root, and computes "
                        + "entitlements as the purchase core does. Each product is its own entitlement; a consumable "
                        + "has a balance."
                ],
                examples: [.init("Print one customer's entitlements", "local-store entitlements --account customer")]
            )
        case .export:
            .init(
                "export", operands: "[DIR]",
                summary: "export the store's signed data",
                description: [
                    "Writes to a folder: root.der and root.pem, play-key.txt, and in the subfolder receipts one file "
                        + "per transaction, renewal info, app transaction, notification and Google Play purchase. "
                        + "verify-receipt batch reads that subfolder. An earlier export in DIR is replaced, and "
                        + "nothing else.",
                    "Without DIR, prints one JSON object per line, with the members kind, account, transactionId, "
                        + "productId and receipt, or data and signature for Google Play. verify-receipt batch reads "
                        + "these lines; pass authority/root.der of the store's folder to --root.",
                ],
                examples: [
                    .init(
                        "Export and verify all transactions",
                        "local-store export --kind transaction | "
                            + "verify-receipt batch --root local-store/authority/root.der"
                    )
                ]
            )
        case .simulate:
            .init(
                "simulate",
                summary: "simulate many customers for a year",
                description: [
                    "Adds --customers customers. For the time of --for they buy, renew, cancel, change plans, miss "
                        + "payments and get refunds. Their choices derive from --seed, by default the store's seed."
                ],
                examples: [.init("Simulate fifty customers for a year", "local-store simulate --customers 50")]
            )
        }
    }
}

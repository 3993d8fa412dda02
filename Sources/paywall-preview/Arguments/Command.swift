internal import CommandLineInterface

/// The only command, which runs when the command line names none.
enum Command: ToolCommand {
    case serve

    /// The shortest file of `--offers` with an offer of the sample products.
    static let offersExample = """
        {"schema": 1, "offers": [{"id": "A", "layout": "cards", "defaultPlan": "com.example.app.pro.yearly", \
        "plans": [{"id": "com.example.app.pro.yearly"}]}]}
        """

    var definition: CommandDefinition {
        switch self {
        case .serve:
            .init(
                "serve",
                summary: "show the products of a .storekit file as a shop in the browser",
                description: [
                    "Serves pages for this machine only, over the simulated store, the verification and the database "
                        + "of this package: a purchase is signed, verified and recorded as in an app. Prints the "
                        + "address, and runs until it is interrupted.",
                    "The shop has features, the paywall, and an account with the purchases. The store console "
                        + "approves, renews, refunds and expires, makes calls and signatures fail, moves the clock, "
                        + "and shows what the core did at each step. All windows show the same device and change with "
                        + "it.",
                    "Only the address with its token can buy. Keep it to yourself while the shop is open. Without the "
                        + "token, programs and users of this machine can read the pages, with the products of the "
                        + ".storekit file and the simulated purchases.",
                    "The file of --offers is a JSON object. It must have schema, which is 1, and can have revision, "
                        + "purchasesEnabled, allowsDismissal, viewLimit7d, offers, defaultOffer, rules, experiment and "
                        + "featureLayout. An offer has id (A, B or C), layout, plans, and defaultPlan, the id of one "
                        + "of its plans. A plan has id, which is the ID of a product, and can have period and "
                        + "bestValue. A rule has name and offer, and can have minimumViews7d, maximumViews7d, "
                        + "minimumTimeOnPaywallSec, riskLevels (low, medium, high) and personalPromises. An experiment "
                        + "has id, and can have holdoutPerMille and arms, each with offer and weight.",
                    "A file can be as short as this one: \(Self.offersExample).",
                    "An unknown member, and a plan whose product is not in the .storekit file, is a warning, and has "
                        + "no effect. A missing member and a wrong type or value are errors. The shop shows every "
                        + "layout in the same way, and knows neither the risk nor a promise of its customer, so a rule "
                        + "with riskLevels or personalPromises never applies.",
                ],
                examples: [
                    .init("Show a shop with sample products", "paywall-preview"),
                    .init("Keep the purchases of a shop", "paywall-preview --storekit Notes.storekit --data shop"),
                    .init(
                        "Try a remote configuration in Japanese", "paywall-preview --offers offers.json --language ja"),
                ]
            )
        }
    }
}

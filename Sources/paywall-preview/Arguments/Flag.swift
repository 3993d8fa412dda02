internal import CommandLineInterface

/// The flags, in the order in which help lists them.
///
/// To add a flag, add a case and its row in ``definition``.
enum Flag: ToolFlag {
    typealias Command = paywall_preview.Command

    case storekit, offers, language, data, port
    case json, output, color, quiet
    case help, version, generate

    /// The sections of help.
    enum Section: String, ToolSection {
        case shop = "Shop"
        case output = "Output"
        case general = "General"
    }

    var definition: FlagDefinition<Flag> {
        switch self {
        case .storekit:
            .init(
                "storekit", short: "s", in: .shop, value: .file("FILE"), variable: .standard,
                summary: "the products, by default a sample",
                details: "FILE is a .storekit file of Xcode."
            )
        case .offers:
            .init(
                "offers", in: .shop, value: .file("FILE"), variable: .standard,
                summary: "the paywall's offers and rules, by default one offer with all subscriptions",
                details: "FILE is a remote configuration in JSON, as an app's server sends it; its members are "
                    + "described above. It is read again each time a paywall opens."
            )
        case .language:
            .init(
                "language", short: "l", in: .shop, value: .text("TAG", suggestions: ["en", "ja", "zh-Hans"]),
                variable: .standard, summary: "the customer's language, by default en",
                details:
                    "TAG is a BCP 47 tag. The texts are in English, Japanese and Simplified Chinese; for any other "
                    + "language they are in English."
            )
        case .data:
            .init(
                "data", short: "d", in: .shop, value: .folder("DIR"), variable: .standard,
                summary: "keep the store and the purchases in DIR",
                details: "DIR is created if it does not exist; it must belong to you, and no other user may be able to "
                    + "change it. The app's files are in DIR/app, and the store's in DIR/store: purchases verify "
                    + "--data DIR/app --root DIR/store/root.der verifies what the app has stored. The store's clock "
                    + "starts now, and a receipt that it signs after a step of the clock is from the future for other "
                    + "tools. Without DIR, nothing is kept."
            )
        case .port:
            .init(
                "port", short: "p", in: .shop, value: .text("NUMBER"), variable: .standard,
                summary: "the port, by default one that is free"
            )
        case .json: .init("json", in: .output, summary: "print the address as a JSON object")
        case .output: .output
        case .color: .color
        case .quiet: .quiet
        case .help: .help
        case .version: .version
        case .generate: .generate
        }
    }
}

internal import CommandLineInterface
internal import ReceiptTypes

/// The words of `--type`.
enum ProductTypeWord: String, CaseIterable {
    case autoRenewable = "auto-renewable"
    case nonRenewing = "non-renewing"
    case consumable
    case nonConsumable = "non-consumable"

    static var all: [String] { allCases.map(\.rawValue) }

    /// Creates the word that a text means, ignoring case and hyphens.
    init?(_ text: String) {
        guard let word = WordSearch.match(text, in: Self.all) else { return nil }
        self.init(rawValue: word)
    }

    var type: ProductType {
        switch self {
        case .autoRenewable: .autoRenewableSubscription
        case .nonRenewing: .nonRenewingSubscription
        case .consumable: .consumable
        case .nonConsumable: .nonConsumable
        }
    }

    /// The last part of a product ID that suits the type.
    var productName: String {
        switch self {
        case .autoRenewable: "premium.monthly"
        case .nonRenewing: "season"
        case .consumable: "coins.100"
        case .nonConsumable: "lifetime"
        }
    }
}

internal import CommandLineInterface

/// The schemas of the JSON objects that `local-store` prints.
enum OutputSchema: String, ToolSchema {
    case status = "local-store/status-1"
    case store = "local-store/store-1"
    case settings = "local-store/settings-1"
    case account = "local-store/account-1"
    case product = "local-store/product-1"
    case purchase = "local-store/purchase-1"
    case transaction = "local-store/transaction-1"
    case subscription = "local-store/subscription-1"
    case notification = "local-store/notification-1"
    case pending = "local-store/pending-1"
    case clock = "local-store/clock-1"
    case simulation = "local-store/simulation-1"
    case entitlements = "local-store/entitlements-1"
    case receipt = "local-store/receipt-1"
    case finding = "local-store/finding-1"
    case refusal = "local-store/refusal-1"

    var meaning: String {
        switch self {
        case .status: "the state of a store, from status"
        case .store: "a new store, from init"
        case .settings: "the settings of a store, from settings"
        case .account: "a customer, from accounts"
        case .product: "a product with its offers, from products"
        case .purchase: "the store's answer to a purchase, from buy and change-plan"
        case .transaction: "a transaction, from list and the commands that change it"
        case .subscription: "a subscription, from list and the commands that change it"
        case .notification: "a server notification, from list and the commands that send it"
        case .pending: "a purchase that waits or is interrupted, from list and buy"
        case .clock: "the time of the simulated clock, from advance"
        case .simulation: "the counts of a simulation, from simulate"
        case .entitlements: "what a customer may use, from entitlements"
        case .receipt: "a signed receipt and the facts about it, from export"
        case .finding: "a mistake in a .storekit file, from lint"
        case .refusal: "a request that the store rejected or failed"
        }
    }
}

import PurchaseCore
import ReceiptTypes

/// A product of the scenario, which is bought once.
enum Item: Int, CaseIterable {
    /// A consumable.
    case coins
    /// A non-consumable.
    case full

    var name: String { "\(self)" }
    var transactionID: String { "\(rawValue + 1)" }
    var key: PurchaseKey { .transaction(id: transactionID) }
    fileprivate var type: ProductType { self == .coins ? .consumable : .nonConsumable }

    init?(_ key: PurchaseKey) {
        guard let item = Self.allCases.first(where: { $0.key == key }) else { return nil }
        self = item
    }
}

/// What a store has signed about a purchase.
struct Sample: Hashable {
    /// The versions of a purchase in the order in which a store signs them.
    enum Version: UInt32, CaseIterable {
        /// The purchase.
        case sold = 1
        /// The same facts, signed again.
        case signedAgain
        /// The purchase after its refund.
        case refunded
        /// The purchase after the refund was reversed, with the facts of the first version.
        case restored

        /// What the customer has after this version is handed over.
        var amount: World.Amount { self == .refunded ? .revoked : .granted }
    }

    let item: Item
    let version: Version

    /// The account that has bought everything.
    static let buyer = UUIDText("3f0b9a52-7c1e-4d6a-9b83-0e5d2a417c68")
    /// Another account of the app.
    static let other = UUIDText("a81c6e07-52d4-4f39-8e60-bd97c3f01254")

    /// The signed text, which the scenario's verifier looks up.
    var signedText: String { "\(item) \(version)" }

    var delivery: SignedTransaction {
        SignedTransaction(jws: signedText, transactionID: item.transactionID, productID: item.name)
    }

    /// The transaction that the verifier returns.
    var transaction: Transaction? {
        var members: JSONObject = [
            "transactionId": .string(item.transactionID), "originalTransactionId": .string(item.transactionID),
            "productId": .string(item.name), "type": .string(item.type.rawValue), "quantity": .integer(1),
            "environment": .string("Production"), "appAccountToken": .string(Self.buyer.rawValue),
            "purchaseDate": .integer(1_000_000), "signedDate": .integer(1_000_000 + Int64(version.rawValue) * 1_000),
        ]
        if version == .refunded { members.append("revocationDate", .integer(1_003_000)) }
        return Transaction(JWSTransactionDecodedPayload(members: members))
    }

    static let all = Item.allCases.flatMap { item in Version.allCases.map { Sample(item: item, version: $0) } }

    private static let samples = Dictionary(uniqueKeysWithValues: all.map { ($0.signedText, $0) })

    /// The transactions by their signed texts.
    static let transactions = Dictionary(
        uniqueKeysWithValues: all.compactMap { sample in sample.transaction.map { (sample.signedText, $0) } })

    init(item: Item, version: Version) {
        self.item = item
        self.version = version
    }

    /// Returns the sample of a delivery.
    init?(_ delivery: SignedTransaction) {
        guard let sample = Self.samples[delivery.signedText] else { return nil }
        self = sample
    }
}

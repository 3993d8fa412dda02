import PurchaseCore
import ReceiptTypes

@testable import PurchaseStorage

/// Users, and verified purchases to record for them.
enum PurchaseSample {
    static let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    static let bob = UUIDText("6b29fc40-ca47-1067-b31d-00dd010662da")
    static let start = SimulatedApp.start

    static func at(_ seconds: Int64) -> Timestamp { start.adding(milliseconds: seconds * 1_000) }

    /// Returns a purchase in the App Store, signed some seconds after the start.
    static func purchase(
        _ id: String = "1", _ productID: String = "pro.lifetime", signed: Int64 = 0, features: Set<String> = ["pro"],
        key: String? = "key-1", change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) throws -> VerifiedPurchase {
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = id
        payload.productId = productID
        payload.type = .nonConsumable
        payload.purchaseDate = start
        payload.signedDate = at(signed)
        payload.environment = .production
        payload.price = Milliunits(49_990)
        payload.currency = "USD"
        change(&payload)
        let jws = "jws.\(id).\(signed)." + String(repeating: "a", count: 200)
        return VerifiedPurchase(
            try require(Transaction(payload)), .jws(jws), features: features, verificationKey: key)
    }

    /// Returns a purchase in Google Play.
    static func playPurchase(
        _ token: String = "token", state: PlayPurchaseState = .purchased
    ) throws -> VerifiedPurchase {
        var purchase = PlayPurchase()
        purchase.purchaseToken = token
        purchase.productId = "pro.lifetime"
        purchase.purchaseTime = start
        purchase.purchaseState = state
        let product = PlayProduct(id: "pro.lifetime", type: .nonConsumable)
        let content = SignedPlayPurchase(data: "{\(token) \(state.rawValue)}", signature: "signature")
        return VerifiedPurchase(
            try require(Transaction(purchase, product: product)), .play(content), features: ["pro"])
    }

    struct Missing: Error {}

    static func require<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Missing() }
        return value
    }
}

extension VerifiedPurchase {
    var id: Purchase.ID { Purchase.ID(transaction) }
}

extension DatabasePurchases {
    /// The purchases of a user at the start of the samples.
    init(_ database: PurchaseDatabase, _ user: UUIDText? = PurchaseSample.alice) {
        self.init(database, user: user, clock: { PurchaseSample.start })
    }
}

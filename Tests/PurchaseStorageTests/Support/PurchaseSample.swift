import ReceiptTypes

@testable import PurchaseCore
@testable import PurchaseStorage

/// Users, and verified purchases to record for them.
enum PurchaseSample {
    static let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    static let bob = UUIDText("6b29fc40-ca47-1067-b31d-00dd010662da")
    static let start = SimulatedApp.start

    static func at(_ seconds: Int64) -> Timestamp { start.adding(milliseconds: seconds * 1_000) }

    /// Returns a purchase in the App Store, signed some seconds after the start.
    static func purchase(
        _ id: String = "1", _ productID: String = "pro.lifetime", signed: Int64 = 0, key: String? = "key-1",
        change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
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
        return VerifiedPurchase(try require(Transaction(payload)), .jws(jws), verificationKey: key)
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
        return VerifiedPurchase(try require(Transaction(purchase, product: product)), .play(content))
    }

    /// The catalog of the samples.
    static let catalog = try? makeCatalog(["pro": ["pro.lifetime"], "templates": ["templates.pack"]])

    /// Returns a catalog in which features are unlocked by products.
    static func makeCatalog(_ features: [FeatureID: [String]]) throws -> TemplatePriceCatalog {
        let definitions = features.map { FeatureDefinition(id: $0, name: "Feature", level: .premium, productIDs: $1) }
        return TemplatePriceCatalog(version: 1, proProductIDs: [], features: try FeatureCatalog(definitions))
    }

    struct Missing: Error {}

    static func require<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Missing() }
        return value
    }
}

extension VerifiedPurchase {
    var id: Purchase.ID { Purchase.ID(transaction) }

    /// The purchase as the records of a user return it after the first recording.
    func purchase(of user: UUIDText?) -> Purchase {
        let purchase = Purchase(transaction, user: user, verificationKey: verificationKey)
        return PurchaseSample.catalog?.withFeatures(purchase) ?? purchase
    }
}

extension PurchaseRecords {
    /// The purchases of a user, or those of no account, at the start of the samples.
    init(
        _ database: PurchaseDatabase, _ user: UUIDText? = PurchaseSample.alice,
        catalog: TemplatePriceCatalog? = PurchaseSample.catalog
    ) {
        self.init(
            DatabaseLedger(database), user: user.map { .signedIn($0) } ?? .signedOut, catalog: catalog,
            environment: PurchaseEnvironment(clock: { PurchaseSample.start }))
    }

    /// Deletes a purchase of the user from the database.
    func deletePurchase(_ id: Purchase.ID) async throws {
        let database = try PurchaseSample.require(ledger as? DatabaseLedger).database
        try await database.deletePurchase(id, of: user.account, clock: { PurchaseSample.start })
    }
}

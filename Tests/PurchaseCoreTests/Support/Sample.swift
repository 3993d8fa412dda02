import PurchaseCore
import ReceiptTypes

/// Sample payloads, transactions and products.
enum Sample {
    static let day: Int64 = 86_400_000
    static let start: Int64 = 1_760_000_000_000

    static let catalog = TemplatePriceCatalog(
        version: 3,
        proProductIDs: ["pro.monthly", "pro.yearly", "pro.lifetime", "pro.season"],
        templateProductToID: ["template.a": "A", "template.b": "B"].mapValues(TemplateID.init),
        nonRenewingPeriods: ["pro.season": .month]
    )

    static func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: start + milliseconds) ?? .minimum }
    static func at(day: Int) -> Timestamp { at(Int64(day) * Self.day) }

    static func type(of productID: String) -> ProductType {
        switch productID {
        case "pro.monthly", "pro.yearly": .autoRenewableSubscription
        case "pro.season": .nonRenewingSubscription
        case "coins", "gems": .consumable
        default: .nonConsumable
        }
    }

    /// Returns a purchase; a subscription lasts thirty days.
    static func payload(
        _ id: String,
        _ productID: String,
        bought: Timestamp = at(0),
        expires: Timestamp? = nil,
        signed: Timestamp? = nil,
        original: String? = nil,
        change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) -> JWSTransactionDecodedPayload {
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = id
        payload.originalTransactionId = original ?? id
        payload.bundleId = "com.example.app"
        payload.productId = productID
        payload.purchaseDate = bought
        payload.originalPurchaseDate = bought
        payload.quantity = 1
        payload.type = type(of: productID)
        payload.inAppOwnershipType = .purchased
        payload.signedDate = signed ?? bought
        payload.environment = .sandbox
        payload.price = Milliunits(39_990)
        payload.currency = "USD"
        if payload.type == .autoRenewableSubscription {
            payload.expiresDate = expires ?? Timestamp(milliseconds: bought.millisecondsSince1970 + 30 * day)
            payload.subscriptionGroupIdentifier = "group"
            payload.webOrderLineItemId = "order-\(id)"
        }
        change(&payload)
        return payload
    }

    static func transaction(
        _ id: String,
        _ productID: String,
        bought: Timestamp = at(0),
        expires: Timestamp? = nil,
        signed: Timestamp? = nil,
        original: String? = nil,
        change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) throws -> Transaction {
        let payload = payload(
            id, productID, bought: bought, expires: expires, signed: signed, original: original, change: change)
        return try require(Transaction(payload))
    }

    static func renewal(
        _ original: String,
        signed: Timestamp,
        renews: Bool = true,
        retry: Bool = false,
        grace: Timestamp? = nil,
        change: (inout JWSRenewalInfoDecodedPayload) -> Void = { _ in }
    ) -> JWSRenewalInfoDecodedPayload {
        var payload = JWSRenewalInfoDecodedPayload()
        payload.originalTransactionId = original
        payload.signedDate = signed
        payload.autoRenewStatus = renews ? .on : .off
        payload.isInBillingRetryPeriod = retry
        payload.gracePeriodExpiresDate = grace
        change(&payload)
        return payload
    }

    /// The products of the samples as an app lists them for Google Play.
    static let playProducts =
        ["coins", "gems", "template.a", "template.b", "pro.lifetime", "pro.season"].map {
            PlayProduct(id: $0, type: type(of: $0))
        } + [
            PlayProduct(subscription: "pro.monthly", period: .month, groupID: "group"),
            PlayProduct(subscription: "pro.yearly", period: .year, groupID: "group"),
            PlayProduct(subscription: "club.monthly", period: .month, groupID: "club"),
        ]

    /// Returns a completed purchase in Google Play.
    static func playPurchase(
        _ token: String,
        _ productID: String,
        bought: Timestamp = at(0),
        change: (inout PlayPurchase) -> Void = { _ in }
    ) -> PlayPurchase {
        var purchase = PlayPurchase()
        purchase.orderId = "GPA.\(token)"
        purchase.packageName = "com.example.app"
        purchase.productId = productID
        purchase.purchaseTime = bought
        purchase.purchaseState = .purchased
        purchase.purchaseToken = token
        purchase.acknowledged = false
        if type(of: productID) == .autoRenewableSubscription { purchase.autoRenewing = true }
        change(&purchase)
        return purchase
    }

    static func product(_ id: String, price: Int64 = 39_990, subscription: SubscriptionTerms? = nil) -> Product {
        Product(
            id: id, type: type(of: id), displayName: id, description: id, price: Milliunits(price), currency: "USD",
            displayPrice: "$\(Milliunits(price))", subscription: subscription
        )
    }

    struct Missing: Error {}

    static func require<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Missing() }
        return value
    }
}

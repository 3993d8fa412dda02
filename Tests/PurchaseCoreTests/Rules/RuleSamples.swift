import LedgerConformance
import PurchaseCore
import ReceiptTypes
import Testing

/// A delivery of a store, and the transaction that its verification returns.
struct Delivery: Sendable {
    let signed: SignedTransaction
    let transaction: Transaction

    /// The text that identifies the delivery.
    var text: String { signed.signedText }
    var key: PurchaseKey { transaction.purchaseKey }

    /// A redelivery of the same text, of which everything that is not signed differs.
    var redelivered: SignedTransaction {
        switch signed.content {
        case .jws(let jws):
            SignedTransaction(jws: jws, transactionID: "other", productID: "other", objection: "other")
        case .play(let purchase):
            SignedTransaction(play: purchase, purchaseToken: "other", productID: "other", objection: "other")
        case .appReceipt(let receipt):
            SignedTransaction(
                appReceipt: receipt, transactionID: "other", bundleID: "other", objection: "other")
        }
    }
}

/// The facts of a sample purchase; each combination has a text of its own.
struct PurchaseSample: Sendable {
    /// The transaction id, or the purchase token.
    var id = "1"
    var productID = "coins"
    /// The original transaction id; nil if it is the transaction id. Google Play has none.
    var originalID: String?
    /// The billing event of a subscription; nil for a consumable. Google Play has none.
    var billingEvent: String?
    /// Whether a purchase of Google Play is a subscription.
    var isPlaySubscription = false
    var isRefunded = false
    /// The signing date in minutes. Google Play signs no date, so all its versions have the same one.
    var signed: Int64 = 0
    /// A number that distinguishes texts with the same facts and the same signing date.
    var copy = 0
    /// The objection of the store.
    var objection: String?
}

/// A store in whose format the samples are delivered, or another form of its purchases.
enum SampleStore: String, Sendable, CaseIterable {
    case appStore = "App Store"
    case googlePlay = "Google Play"
    case appReceipt = "app receipt"

    /// Returns the delivery of a purchase.
    func delivery(_ sample: PurchaseSample = PurchaseSample()) throws -> Delivery {
        let delivery =
            switch self {
            case .appStore: Self.appStoreDelivery(sample)
            case .googlePlay: Self.googlePlayDelivery(sample)
            case .appReceipt: Self.appReceiptDelivery(sample)
            }
        return try #require(delivery)
    }

    private static func appStoreDelivery(_ sample: PurchaseSample) -> Delivery? {
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = sample.id
        payload.originalTransactionId = sample.originalID ?? sample.id
        payload.productId = sample.productID
        payload.purchaseDate = at(0)
        payload.originalPurchaseDate = at(0)
        payload.signedDate = at(sample.signed)
        payload.type = .consumable
        if let billingEvent = sample.billingEvent {
            payload.type = .autoRenewableSubscription
            payload.webOrderLineItemId = billingEvent
        }
        if sample.isRefunded { payload.revocationDate = at(0) }
        guard let transaction = Transaction(payload) else { return nil }
        // No rule reads the text.
        let text = "\(payload.members.description).\(sample.copy)"
        return Delivery(
            signed: SignedTransaction(
                jws: text, transactionID: sample.id, productID: sample.productID, objection: sample.objection),
            transaction: transaction)
    }

    /// The rules record any facts with an app receipt: none reads it.
    private static func appReceiptDelivery(_ sample: PurchaseSample) -> Delivery? {
        appStoreDelivery(sample).map { delivery in
            Delivery(
                signed: SignedTransaction(
                    appReceipt: SignedAppReceipt(base64: "receipt \(delivery.text)"), transactionID: sample.id,
                    bundleID: sample.productID, objection: sample.objection),
                transaction: delivery.transaction)
        }
    }

    private static func googlePlayDelivery(_ sample: PurchaseSample) -> Delivery? {
        var purchase = PlayPurchase()
        purchase.productId = sample.productID
        purchase.purchaseTime = at(0)
        purchase.purchaseState = sample.isRefunded ? .cancelled : .purchased
        purchase.purchaseToken = sample.id
        purchase.autoRenewing = sample.isPlaySubscription ? true : nil
        let product =
            sample.isPlaySubscription
            ? PlayProduct(subscription: sample.productID, period: .month)
            : PlayProduct(id: sample.productID, type: .consumable)
        guard let transaction = Transaction(purchase, product: product) else { return nil }
        let signature = "signature \(sample.signed) \(sample.copy)"
        return Delivery(
            signed: SignedTransaction(
                play: SignedPlayPurchase(data: purchase.members.description, signature: signature),
                purchaseToken: sample.id, productID: sample.productID, objection: sample.objection),
            transaction: transaction)
    }

    /// Returns a delivery with given texts, of no particular purchase.
    func signed(text: String, id: String, productID: String, objection: String? = nil) -> SignedTransaction {
        switch self {
        case .appStore:
            SignedTransaction(jws: text, transactionID: id, productID: productID, objection: objection)
        case .googlePlay:
            SignedTransaction(
                play: SignedPlayPurchase(data: text, signature: "signature"), purchaseToken: id, productID: productID,
                objection: objection)
        case .appReceipt:
            SignedTransaction(
                appReceipt: SignedAppReceipt(base64: text), transactionID: id, bundleID: productID,
                objection: objection)
        }
    }
}

/// Accounts of an app.
enum Account {
    static let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
    static let bert = UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d")
}

/// The subscription and the signing date of a sample renewal info.
struct RenewalSample: Sendable {
    var originalID = "1"
    /// The signing date in minutes.
    var signed: Int64 = 0
    var copy = 0

    var text: String { "renewal info.\(originalID).\(signed).\(copy)" }

    /// Returns the renewal info.
    func info() throws -> RenewalInfo {
        var payload = JWSRenewalInfoDecodedPayload()
        payload.originalTransactionId = originalID
        payload.signedDate = at(signed)
        payload.autoRenewStatus = .on
        return try #require(RenewalInfo(payload))
    }
}

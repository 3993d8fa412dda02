internal import ReceiptTypes

/// A transaction as a store delivers it: signed content, and an id and a product id that are not signed.
public struct SignedTransaction: Sendable, Hashable {
    /// The signed content.
    public let content: SignedContent
    /// The signed text, which identifies the delivery byte by byte.
    ///
    /// It is the compact JWS (StoreKit's `jwsRepresentation`), the ``SignedPlayPurchase/json`` of a Google Play
    /// purchase, or the ``SignedAppReceipt/base64`` of an app receipt.
    public let signedText: String
    /// The transaction's id according to the store, not verified; for Google Play, the purchase token.
    public let transactionID: String
    /// The product's id according to the store, not verified.
    public let productID: String
    /// The reason that the store itself rejects the transaction; nil if it accepts it or does not check.
    ///
    /// A device checks more than the signature, for example whether the transaction was made for this device. A
    /// transaction with an objection unlocks nothing, even if its signature is valid.
    public let objection: String?

    /// Creates a signed transaction of the App Store.
    public init(jws: String, transactionID: String, productID: String, objection: String? = nil) {
        self.init(.jws(jws), jws, transactionID: transactionID, productID: productID, objection: objection)
    }

    /// Creates a signed purchase of Google Play.
    public init(
        play purchase: SignedPlayPurchase, purchaseToken: String, productID: String, objection: String? = nil
    ) {
        self.init(
            .play(purchase), purchase.json, transactionID: purchaseToken, productID: productID, objection: objection)
    }

    /// Creates the delivery of an app receipt, for the ledger; no store delivers one.
    ///
    /// - Parameters:
    ///   - receipt: The receipt.
    ///   - transactionID: The id under which the receipt is recorded, see ``AppPurchase/id``.
    ///   - bundleID: The bundle id of the app, in place of a product id.
    ///   - objection: What speaks against the receipt although it is signed, see ``objection``.
    public init(
        appReceipt receipt: SignedAppReceipt, transactionID: String, bundleID: String, objection: String? = nil
    ) {
        self.init(
            .appReceipt(receipt), receipt.base64, transactionID: transactionID, productID: bundleID,
            objection: objection)
    }

    /// Creates the delivery of signed content.
    init(_ content: SignedContent, transactionID: String, productID: String, objection: String?) {
        self.init(content, content.text, transactionID: transactionID, productID: productID, objection: objection)
    }

    /// Creates the delivery of verified content.
    package init(_ content: SignedContent, of transaction: Transaction) {
        self.init(content, transactionID: transaction.id, productID: transaction.productID, objection: nil)
    }

    private init(
        _ content: SignedContent, _ text: String, transactionID: String, productID: String, objection: String?
    ) {
        self.content = content
        signedText = text
        self.transactionID = transactionID
        self.productID = productID
        self.objection = objection
    }

    /// A copy without the store's objection.
    public var withoutObjection: SignedTransaction {
        SignedTransaction(content, signedText, transactionID: transactionID, productID: productID, objection: nil)
    }
}

/// The signed content of a delivery, in the format of its store.
public enum SignedContent: Sendable, Hashable {
    /// A transaction of the App Store in compact JWS form.
    case jws(String)
    /// A purchase of Google Play.
    case play(SignedPlayPurchase)
    /// An app receipt, which has any number of purchases.
    case appReceipt(SignedAppReceipt)

    /// The text that identifies a delivery of the content; see ``SignedTransaction/signedText``.
    package var text: String {
        switch self {
        case .jws(let jws): jws
        case .play(let purchase): purchase.json
        case .appReceipt(let receipt): receipt.base64
        }
    }
}

/// The data of a Google Play purchase with its signature.
public struct SignedPlayPurchase: Sendable, Hashable {
    /// The purchase data as JSON (`Purchase.getOriginalJson()`); the signature covers exactly these bytes.
    public let data: String
    /// The signature of ``data`` in base64 (`Purchase.getSignature()`).
    public let signature: String

    /// Creates a signed purchase.
    public init(data: String, signature: String) {
        self.data = data
        self.signature = signature
    }

    /// A JSON object with the members `data` and `signature`, as the tools of this package read and write it.
    public var json: String {
        (["data": .string(data), "signature": .string(signature)] as JSONObject).description
    }
}

/// The status of a subscription as a store delivers it.
public struct SignedSubscriptionStatus: Sendable, Hashable {
    /// The subscription's latest transaction.
    public let transaction: SignedTransaction
    /// The signed renewal info in compact JWS form.
    public let renewalInfoJWS: String
    /// The reason that the store itself rejects the renewal info; nil if it accepts it or does not check.
    public let renewalInfoObjection: String?

    /// Creates a status from a transaction and its renewal info.
    public init(transaction: SignedTransaction, renewalInfoJWS: String, renewalInfoObjection: String? = nil) {
        self.transaction = transaction
        self.renewalInfoJWS = renewalInfoJWS
        self.renewalInfoObjection = renewalInfoObjection
    }
}

extension SignedTransaction {
    /// Whether this is an app receipt, which the store neither delivers nor waits for.
    var isAppReceipt: Bool {
        if case .appReceipt = content { true } else { false }
    }
}

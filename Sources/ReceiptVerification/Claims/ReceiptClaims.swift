internal import ReceiptTypes

/// The claims of a payload about its app, its product and its transaction.
struct ReceiptClaims {
    var bundleID: String?
    var appAppleID: Int64?
    /// The environment that the receipt comes from, derived where the payload has another word.
    var environment: String?
    /// The payload's own word for the environment, if it is another one.
    var environmentWord: String?
    var productIDs: [String] = []
    var transactionID: String?
    var originalTransactionID: String?
    /// The token of a Google Play purchase.
    var purchaseToken: String?
    /// What the store has taken back of the purchase.
    var refund = PurchaseRefund.none
    /// The time of the refund; nil if the claim is absent or no time.
    var revocationDate: Timestamp?
    /// Whether payloads of this kind can have the claim.
    var hasBundleID = true
    var hasAppAppleID = false
    var hasEnvironment = true
    /// Whether `appAppleId` can be absent in production.
    var mayLackAppAppleID = false

    init(_ payload: borrowing JSONNode, kind: ReceiptKind) {
        switch kind {
        case .transaction, .renewalInfo:
            hasBundleID = kind == .transaction
            bundleID = payload.member("bundleId")?.text
            environment = payload.member("environment")?.text
            productIDs = payload.member("productId")?.text.map { [$0] } ?? []
            transactionID = payload.member("transactionId")?.text
            originalTransactionID = payload.member("originalTransactionId")?.text
            if kind == .transaction { readRefund(payload) }
        case .appTransaction:
            hasAppAppleID = true
            bundleID = payload.member("bundleId")?.text
            appAppleID = payload.member("appAppleId")?.integer
            environment = payload.member("receiptType")?.text
        case .realtimeRequest:
            hasBundleID = false
            hasAppAppleID = true
            appAppleID = payload.member("appAppleId")?.integer
            environment = payload.member("environment")?.text
            productIDs = payload.member("productId")?.text.map { [$0] } ?? []
            originalTransactionID = payload.member("originalTransactionId")?.text
        case .notification:
            hasAppAppleID = true
            readNotification(payload)
        case .playPurchase:
            hasEnvironment = false
            bundleID = payload.member("packageName")?.text
            transactionID = payload.member("orderId")?.text
            purchaseToken = payload.member("token")?.text ?? payload.member("purchaseToken")?.text
            readPlayProducts(payload)
        case .appReceipt:
            hasAppAppleID = true
            bundleID = payload.member("bundleId")?.text
            // The sandbox writes 0 for an app without an Apple ID.
            appAppleID = payload.member("appAppleId")?.integer.flatMap { $0 == 0 ? nil : $0 }
            setEnvironment(of: payload.member("receiptType")?.text.map { AppReceiptType(rawValue: $0) })
        }
    }

    /// Creates the claims of an app receipt.
    init(_ receipt: AppReceiptContent) {
        hasAppAppleID = true
        bundleID = receipt.claims.bundleID
        appAppleID = receipt.appAppleID
        setEnvironment(of: receipt.claims.receiptType)
        productIDs = receipt.claims.productIDs
    }

    /// Whether nothing of the purchase remains.
    var isRevoked: Bool { refund.isComplete }

    private mutating func readRefund(_ payload: borrowing JSONNode) {
        // Most transactions have neither, and their payloads need no tree of values.
        guard payload.hasValue("revocationDate") || payload.hasValue("advancedCommerceInfo") else { return }
        let transaction = JWSTransactionDecodedPayload(members: payload.object)
        refund = transaction.refund
        revocationDate = transaction.revocationDate ?? transaction.revokedAt
    }

    private mutating func setEnvironment(of type: AppReceiptType?) {
        environment = type?.environment.rawValue
        if let word = type?.rawValue, environment != word { environmentWord = word }
    }

    private mutating func readNotification(_ payload: borrowing JSONNode) {
        for name in ["data", "summary", "externalPurchaseToken", "appData"] {
            guard let object = payload.member(named: name), object.isObject else { continue }
            bundleID = object.member("bundleId")?.text
            appAppleID = object.member("appAppleId")?.integer
            mayLackAppAppleID = name == "externalPurchaseToken"
            if mayLackAppAppleID {
                let id = object.member("externalPurchaseId")?.text
                environment = ExternalPurchaseToken.environment(ofID: id).rawValue
            } else {
                environment = object.member("environment")?.text
            }
            productIDs = object.member("productId")?.text.map { [$0] } ?? []
            return
        }
    }

    private mutating func readPlayProducts(_ payload: borrowing JSONNode) {
        if let product = payload.member("productId")?.text { productIDs.append(product) }
        guard let list = payload.member("productIds") else { return }
        for index in 0..<list.count {
            if let product = list.element(index)?.text { productIDs.append(product) }
        }
    }
}

extension CheckedReceipt {
    /// The claims of the payload; nil until the signature has verified.
    var claims: ReceiptClaims? {
        if let appReceipt { return ReceiptClaims(appReceipt) }
        guard let kind, let document else { return nil }
        return ReceiptClaims(document.root, kind: kind)
    }
}

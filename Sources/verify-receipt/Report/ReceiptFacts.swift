internal import ReceiptTypes

/// What a verified receipt is about, under the same names for every kind.
struct ReceiptFacts {
    var bundleID: String?
    var productID: String?
    var transactionID: String?
    var originalTransactionID: String?
    var environment: String?

    init(kind: ReceiptKind?, payload: JSONObject?) {
        guard let kind, let payload else { return }
        switch kind {
        case .transaction, .renewalInfo, .realtimeRequest:
            bundleID = payload["bundleId"]?.text
            productID = payload["productId"]?.text
            transactionID = payload["transactionId"]?.text
            originalTransactionID = payload["originalTransactionId"]?.text
            environment = payload["environment"]?.text
        case .appTransaction:
            bundleID = payload["bundleId"]?.text
            environment = payload["receiptType"]?.text
        case .notification:
            let objects = ["data", "summary", "externalPurchaseToken", "appData"]
            guard let object = objects.lazy.compactMap({ payload[$0]?.object }).first else { return }
            bundleID = object["bundleId"]?.text
            productID = object["productId"]?.text
            environment = object["environment"]?.text
        case .playPurchase:
            bundleID = payload["packageName"]?.text
            productID = payload["productId"]?.text ?? payload["productIds"]?.elements?.first?.text
            transactionID = payload["orderId"]?.text
        }
    }
}

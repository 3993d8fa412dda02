public import ReceiptTypes

/// The port to the app's own server.
public protocol SyncTransport: Sendable {
    /// Sends a purchase, and returns once the server has stored it durably.
    ///
    /// A purchase is sent at least once: after a lost answer it is sent again, and a server that has it already
    /// acknowledges it again. The server verifies ``PurchaseSubmission/content`` itself and believes nothing else.
    func send(_ submission: PurchaseSubmission) async throws(SyncError)
}

/// A recorded purchase with the signed content that the server verifies.
public struct PurchaseSubmission: Sendable, Hashable {
    /// The purchase as it is recorded on the device. Its ``Purchase/id`` is the same each time it is sent.
    public let purchase: Purchase
    /// The signed content that the purchase was read from.
    public let content: SignedContent

    /// Creates a submission.
    public init(_ purchase: Purchase, _ content: SignedContent) {
        self.purchase = purchase
        self.content = content
    }
}

extension PurchaseSubmission {
    /// The submission as a JSON object, in the form that a server of the app receives.
    ///
    /// | member | content |
    /// |---|---|
    /// | `store`, `transactionId`, `environment` | the identity; no `environment` if the store does not sign it |
    /// | `productId` | the product |
    /// | `user` | the app's user on the device, if one is signed in |
    /// | `signedTransaction` | the JWS of the App Store |
    /// | `purchaseData`, `signature` | the JSON text of Google Play and its signature |
    /// | `appReceipt` | the base64 of an app receipt |
    public var json: JSONObject {
        var object: JSONObject = [
            "store": .string(purchase.id.origin.rawValue), "transactionId": .string(purchase.id.transactionID),
            "productId": .string(purchase.productID),
        ]
        if let environment = purchase.id.environment { object["environment"] = .string(environment.rawValue) }
        if let user = purchase.user { object["user"] = .string(user.rawValue) }
        switch content {
        case .jws(let text): object["signedTransaction"] = .string(text)
        case .play(let play):
            object["purchaseData"] = .string(play.data)
            object["signature"] = .string(play.signature)
        case .appReceipt(let receipt): object["appReceipt"] = .string(receipt.base64)
        }
        return object
    }
}

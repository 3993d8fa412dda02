internal import ReceiptTypes

extension ForeignInput {
    private static let googleAPI = "ask the Play Developer API about the purchase token in it; it is not signed itself"
    private static let noReceipt = "the request has failed, so there is no receipt; its message says why"

    /// Recognizes JSON by its members, with text around it.
    static func json(_ text: [UInt8], depth: Int) -> ForeignInput? {
        guard text.contains(UInt8(ascii: "{")) else { return nil }
        for range in JSONScan(ScannedText(text)).outermost {
            guard let object = (try? JSONDocument.value(of: Array(text[range])))?.object else { continue }
            if let kind = kind(of: object, depth: depth) { return kind }
        }
        return nil
    }

    private static func kind(of object: JSONObject, depth: Int) -> ForeignInput? {
        secret(object) ?? googlePlay(object, depth: depth) ?? failedRequest(object) ?? decoded(object)
    }

    private static func secret(_ object: JSONObject) -> ForeignInput? {
        if object["private_key"] != nil {
            guard object["type"]?.text == "service_account" else { return privateKey }
            return ForeignInput("the private key of a service account", privateKey.hint, isSecret: true)
        }
        guard object["kty"]?.text != nil else { return nil }
        return object["d"] != nil || object["k"] != nil ? privateKey : publicKey
    }

    private static func googlePlay(_ object: JSONObject, depth: Int) -> ForeignInput? {
        let notifications = [
            "subscriptionNotification", "oneTimeProductNotification", "voidedPurchaseNotification", "testNotification",
        ]
        if object["packageName"] != nil, notifications.contains(where: { object[$0] != nil }) {
            return ForeignInput("a Real-time Developer Notification of Google Play", googleAPI)
        }
        if let message = object["message"]?.object, let data = message["data"]?.text,
            message["messageId"] != nil || message["message_id"] != nil || object["subscription"] != nil, depth < 2
        {
            let content = InputDetector.looseBase64([UInt8](data.utf8)) ?? []
            let inner = recognize(content, depth: depth + 1)
            return ForeignInput(
                inner.map { "a Pub/Sub message with \($0.name)" } ?? "a Pub/Sub message", inner?.hint ?? googleAPI)
        }
        if PlayInputShape.isDecoded(in: object) {
            return ForeignInput(
                "a Google Play purchase whose data are decoded",
                "pass the text that was signed, as Purchase.getOriginalJson() returns it, with its signature")
        }
        if PlayInputShape.isPurchase(object) {
            return ForeignInput(
                "a Google Play purchase without its signature",
                "pass it with the signature, which Purchase.getSignature() returns; or ask the Play Developer API "
                    + "about its purchase token")
        }
        if object["kind"]?.text?.hasPrefix("androidpublisher#") == true {
            return ForeignInput(
                "an answer of the Play Developer API",
                "it is authentic if you have received it from Google; only the purchase of the device is signed")
        }
        return nil
    }

    private static func failedRequest(_ object: JSONObject) -> ForeignInput? {
        if object["errorCode"]?.integer != nil, object["errorMessage"] != nil {
            return ForeignInput("an error of the App Store Server API", noReceipt)
        }
        if let error = object["errors"]?.elements?.first?.object, error["status"] != nil, error["code"] != nil {
            return ForeignInput("an error of the App Store Connect API", noReceipt)
        }
        if let error = object["error"]?.object, error["code"]?.integer != nil, error["message"] != nil {
            return ForeignInput("an error of a Google API", noReceipt)
        }
        if object["error"]?.text != nil, object["error_description"] != nil {
            return ForeignInput("an error of an OAuth server", noReceipt)
        }
        let isAnswer = object["receipt"]?.object != nil || object["latest_receipt_info"] != nil
        if let status = object["status"]?.integer, status == 0 && isAnswer || (21_000...21_199).contains(status) {
            return ForeignInput(
                "an answer of the verifyReceipt endpoint", "pass the app receipt or the JWS that the app has sent to it"
            )
        }
        return nil
    }

    /// Recognizes the decoded payload of a JWS, which has no signature.
    private static func decoded(_ object: JSONObject) -> ForeignInput? {
        let kinds: [(members: [String], name: String)] = [
            (["transactionId", "bundleId"], "a transaction"),
            (["notificationType", "notificationUUID"], "a notification"),
            (["autoRenewProductId", "originalTransactionId"], "a renewal info"),
            (["receiptType", "applicationVersion"], "an app transaction"), (["alg", "x5c"], "the header of a JWS"),
        ]
        guard let kind = kinds.first(where: { $0.members.allSatisfy { object[$0] != nil } }) else { return nil }
        let name = kind.name.hasPrefix("the") ? kind.name : "the decoded payload of \(kind.name)"
        return ForeignInput(
            name, "pass the complete JWS that this was decoded from; without its signature it proves nothing")
    }
}

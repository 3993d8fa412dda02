internal import ReceiptTypes

extension ForeignInput {
    private static let googleAPI = "ask the Play Developer API about the purchase token in it; it is not signed itself"
    private static let signedText =
        "pass the text that was signed, as Purchase.getOriginalJson() returns it, with its signature"
    static let noReceipt = "the request has failed, so there is no receipt; its message says why"

    static let externalPurchaseToken = ForeignInput(
        "an external purchase token",
        "it is not signed: decode it, and report the purchase to Apple with Send External Purchase Report of the "
            + "External Purchase Server API")

    private static let notFilledIn = "the sender has filled in no receipt: check where it takes the fields from"
    private static let emptyData = ForeignInput(
        "a Google Play purchase whose data are empty", "the sender has not filled them in: \(signedText)")

    /// Recognizes a purchase of which data or signature are empty, or a word for a missing value.
    init?(emptyPartOf data: [UInt8], _ signature: [UInt8]) {
        // Signed data can be the JSON text null, which the check of the payload rejects.
        let isNull = data.elementsEqual("null".utf8) && !Self.isEmpty(signature)
        switch (Self.isEmpty(data) && !isNull, Self.isEmpty(signature)) {
        case (false, false): return nil
        case (true, false): self = .emptyData
        case (false, true):
            self.init(
                "a Google Play purchase whose signature is empty",
                "the sender has not filled it in: pass what Purchase.getSignature() returns, or ask the Play Developer "
                    + "API about the purchase token")
        case (true, true): self.init("a Google Play purchase whose data and signature are empty", Self.notFilledIn)
        }
    }

    /// Returns whether a part of a purchase is empty; JavaScript writes a word for a missing value.
    private static func isEmpty(_ part: [UInt8]) -> Bool {
        part.withRawSpan { EmptyValue.matches($0) } || part.elementsEqual("undefined".utf8)
    }

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
        secret(object) ?? empty(object) ?? googlePlay(object, depth: depth) ?? failedRequest(object)
            ?? decoded(object) ?? identifier(in: object)
    }

    // MARK: Fields

    /// The members in which clients send receipts, and signatures of them.
    private static let receiptNames: Set<String> = [
        "receipt", "receipt-data", "receiptData", "receipt_data", "transactionReceipt", "appStoreReceipt",
        "appReceipt", "latest_receipt", "jws", "jwsRepresentation", "signedTransaction", "signedTransactionInfo",
        "signedRenewalInfo", "signedPayload", "originalJson", "OriginalJson", "original_json", "originalJSON",
        "purchaseData", "INAPP_PURCHASE_DATA", "INAPP_DATA_SIGNATURE", "dataAndroid", "signature", "Signature",
        "signatureAndroid", "signedData", "dataSignature", "serverVerificationData", "localVerificationData",
    ]

    /// Recognizes JSON that has members for a receipt, all of them empty.
    private static func empty(_ object: JSONObject) -> ForeignInput? {
        let members = object.members.filter { receiptNames.contains($0.name) }
        let areEmpty = members.allSatisfy { member in
            switch member.value {
            case .null: true
            case .string(let text): text.utf8.allSatisfy(\.isWhiteSpace)
            default: false
            }
        }
        guard !members.isEmpty, areEmpty, !PlayInputShape.hasData(object) else { return nil }
        let names = members.map(\.name).joined(separator: " and ")
        return ForeignInput(
            "JSON in which \(names) \(members.count == 1 ? "is" : "are") empty",
            notFilledIn)
    }

    /// Recognizes JSON by an identifier of a purchase in it.
    private static func identifier(in object: JSONObject) -> ForeignInput? {
        IdentifierScan.identifiers(in: .object(object)).first.map { identifier in
            ForeignInput("JSON with \(identifier.kind.name)", identifier.kind.lookup)
        }
    }

    // MARK: Stores

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
            return ForeignInput("a Google Play purchase whose data are decoded", signedText)
        }
        if PlayInputShape.isFlattened(object) {
            return ForeignInput(
                "a Google Play purchase with its signature, but without the signed text: its members were decoded",
                signedText)
        }
        if PlayInputShape.isPurchase(object) || PlayInputShape.hasData(object) {
            return ForeignInput(
                "a Google Play purchase without its signature",
                "pass it with the signature, which Purchase.getSignature() returns; or ask the Play Developer API "
                    + "about its purchase token")
        }
        if PlayInputShape.lacksData(object) { return emptyData }
        if object["voidedPurchases"]?.elements != nil {
            return ForeignInput(
                "a list of voided purchases from the Play Developer API",
                "it is authentic if you have received it from Google; nothing in it is signed")
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
        if object["externalPurchaseId"] != nil, object["tokenCreationDate"] != nil { return externalPurchaseToken }
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

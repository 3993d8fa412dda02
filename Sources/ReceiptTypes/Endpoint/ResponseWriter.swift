/// Writes the members of a response and remembers which ones a receipt has no value for.
///
/// The endpoint wrote numbers and flags of purchases as strings, and each date three times.
struct ResponseWriter {
    private(set) var absent: [String] = []
    private var knownAbsent: Set<String> = []

    // MARK: Response

    mutating func response(
        _ receipt: AppReceipt, latestReceipt: String, excludesOldTransactions: Bool, requestDate: Timestamp
    ) -> JSONObject {
        let purchases = receipt.inApp ?? []
        let subscriptions = AppReceipt.subscriptions(in: purchases)
        var app = self.receipt(receipt, requestDate: requestDate)
        let written = purchases.map { JSONValue.object(self.purchase($0)) }
        app.append("in_app", .array(written))
        var object = JSONObject()
        object.append("status", VerifyReceiptStatus.valid.json)
        if let environment = receipt.environment { object.append("environment", environment.json) }
        object.append("receipt", .object(app))
        guard !subscriptions.isEmpty else { return object }
        var latest = Array(purchases.indices)
        if excludesOldTransactions {
            let kept = Set(subscriptions.map(\.latest))
            latest.removeAll { purchases[$0].isSubscription && !kept.contains($0) }
        }
        // The sort is stable, so purchases of one time keep the order of the receipt.
        let dates = purchases.map { $0.purchaseDate ?? .minimum }
        latest.sort { dates[$0] > dates[$1] }
        object.append("latest_receipt_info", .array(latest.map { written[$0] }))
        object.append("latest_receipt", .string(latestReceipt))
        object.append(
            "pending_renewal_info", .array(subscriptions.map { .object(pendingRenewal(of: $0.subscription)) }))
        for name in Self.unknownOfPurchases { note(absent: name, of: .latestReceiptInfo) }
        for name in Self.unknownOfRenewals { note(absent: name, of: .pendingRenewalInfo) }
        return object
    }

    /// The members of `latest_receipt_info` that only the store knows.
    private static let unknownOfPurchases = [
        "app_account_token", "in_app_ownership_type", "is_upgraded", "offer_code_ref_name",
        "subscription_group_identifier",
    ]

    /// The members of `pending_renewal_info` that only the store knows.
    private static let unknownOfRenewals = [
        "auto_renew_product_id", "auto_renew_status", "expiration_intent", "grace_period_expires_date",
        "is_in_billing_retry_period", "offer_code_ref_name", "price_consent_status", "promotional_offer_id",
    ]

    private mutating func pendingRenewal(of subscription: AppReceiptSubscription) -> JSONObject {
        var object = JSONObject()
        let purchase = subscription.latestPurchase
        set("original_transaction_id", text(purchase.originalTransactionId), of: .pendingRenewalInfo, in: &object)
        set("product_id", text(purchase.productId), of: .pendingRenewalInfo, in: &object)
        return object
    }

    // MARK: Receipt

    private mutating func receipt(_ receipt: AppReceipt, requestDate: Timestamp) -> JSONObject {
        var object = JSONObject()
        set("receipt_type", receipt.receiptType?.json, of: .receipt, in: &object)
        set("adam_id", receipt.appAppleId?.json, of: .receipt, in: &object)
        set("app_item_id", receipt.appAppleId?.json, of: .receipt, in: &object)
        set("bundle_id", text(receipt.bundleId), of: .receipt, in: &object)
        set("application_version", text(receipt.applicationVersion), of: .receipt, in: &object)
        set("download_id", receipt.downloadId?.json, of: .receipt, in: &object)
        set("version_external_identifier", receipt.versionExternalIdentifier?.json, of: .receipt, in: &object)
        set(.receiptCreationDate, receipt.receiptCreationDate, of: .receipt, in: &object)
        set(.requestDate, requestDate, of: .receipt, in: &object)
        set(.originalPurchaseDate, receipt.originalPurchaseDate, of: .receipt, in: &object)
        set("original_application_version", text(receipt.originalApplicationVersion), of: .receipt, in: &object)
        // Only apps of volume purchases expire.
        if let date = receipt.expirationDate { set(.expirationDate, date, of: .receipt, in: &object) }
        note(absent: "preorder_date", of: .receipt)
        return object
    }

    // MARK: Purchase

    private mutating func purchase(_ purchase: AppReceiptPurchase) -> JSONObject {
        var object = JSONObject()
        let isSubscription = purchase.isSubscription
        set("quantity", text(purchase.quantity), of: .inApp, in: &object)
        set("product_id", text(purchase.productId), of: .inApp, in: &object)
        set("transaction_id", text(purchase.transactionId), of: .inApp, in: &object)
        set("original_transaction_id", text(purchase.originalTransactionId), of: .inApp, in: &object)
        set(.purchaseDate, purchase.purchaseDate, of: .inApp, in: &object)
        set(.originalPurchaseDate, purchase.originalPurchaseDate, of: .inApp, in: &object)
        if isSubscription || purchase.expiresDate != nil {
            set(.expiresDate, purchase.expiresDate, of: .inApp, in: &object)
        }
        // Other purchases have 0.
        let order = purchase.webOrderLineItemId.flatMap { $0 == 0 ? nil : $0 }
        if isSubscription || order != nil { set("web_order_line_item_id", text(order), of: .inApp, in: &object) }
        set("is_trial_period", flag(purchase.isTrialPeriod), of: .inApp, in: &object)
        if isSubscription {
            set("is_in_intro_offer_period", flag(purchase.isInIntroOfferPeriod), of: .inApp, in: &object)
        }
        if let date = purchase.cancellationDate {
            set(.cancellationDate, date, of: .inApp, in: &object)
            set("cancellation_reason", text(purchase.cancellationReason), of: .inApp, in: &object)
        }
        if let offer = purchase.promotionalOfferId { object.append("promotional_offer_id", .string(offer)) }
        return object
    }

    // MARK: Members

    /// An object of a response, in whose name absent members are listed.
    private enum Place: String {
        case receipt = "receipt"
        case inApp = "receipt.in_app[]"
        case latestReceiptInfo = "latest_receipt_info[]"
        case pendingRenewalInfo = "pending_renewal_info[]"
    }

    /// The names of the three members for one date, which are made once and not for each purchase.
    private struct DateNames {
        let text: String
        let milliseconds: String
        let pacific: String

        private init(_ name: String) {
            text = name
            milliseconds = "\(name)_ms"
            pacific = "\(name)_pst"
        }

        static let receiptCreationDate = Self("receipt_creation_date")
        static let requestDate = Self("request_date")
        static let originalPurchaseDate = Self("original_purchase_date")
        static let expirationDate = Self("expiration_date")
        static let purchaseDate = Self("purchase_date")
        static let expiresDate = Self("expires_date")
        static let cancellationDate = Self("cancellation_date")
    }

    private func text(_ value: String?) -> JSONValue? { value.map(JSONValue.string) }

    private func text(_ value: Int64?) -> JSONValue? { value.map { .string("\($0)") } }

    /// Returns the text of a flag; nil for a number whose meaning is not published.
    private func flag(_ value: Int64?) -> JSONValue? {
        switch value {
        case 0?: .string("false")
        case 1?: .string("true")
        default: nil
        }
    }

    private mutating func set(_ name: String, _ value: JSONValue?, of place: Place, in object: inout JSONObject) {
        guard let value else { return note(absent: name, of: place) }
        object.append(name, value)
    }

    private mutating func set(_ names: DateNames, _ date: Timestamp?, of place: Place, in object: inout JSONObject) {
        guard let date else { return note(absent: names.text, of: place) }
        object.append(names.text, .string(Self.text(of: date, in: " Etc/GMT")))
        object.append(names.milliseconds, .string("\(date.millisecondsSince1970)"))
        guard let offset = PacificTime.offset(at: date) else { return note(absent: names.pacific, of: place) }
        let local = Self.text(of: date.adding(milliseconds: offset), in: " America/Los_Angeles")
        object.append(names.pacific, .string(local))
    }

    private static func text(of time: Timestamp, in zone: StaticString) -> String {
        var text: [UInt8] = []
        time.appendSeconds(separator: " ", to: &text)
        JSONText.append(literal: zone, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func note(absent name: String, of place: Place) {
        let path = "\(place.rawValue).\(name)"
        if knownAbsent.insert(path).inserted { absent.append(path) }
    }
}

internal import ReceiptTypes

/// A line of a summary: a field of the payload and its label.
struct SummaryField {
    let label: String
    /// The names of the members that lead to the value.
    let path: [String]

    private init(_ label: String, _ path: String...) {
        self.label = label
        self.path = path
    }

    /// Returns the fields of a kind, in the order of the summary.
    static func fields(of kind: ReceiptKind) -> [SummaryField] {
        switch kind {
        case .transaction:
            [
                .init("app", "bundleId"), .init("product", "productId"), .init("type", "type"),
                .init("environment", "environment"), .init("transaction", "transactionId"),
                .init("first transaction", "originalTransactionId"), .init("reason", "transactionReason"),
                .init("ownership", "inAppOwnershipType"), .init("purchased", "purchaseDate"),
                .init("first purchased", "originalPurchaseDate"), .init("expires", "expiresDate"),
                .init("quantity", "quantity"), .init("price", "price"), .init("offer", "offerIdentifier"),
                .init("storefront", "storefront"), .init("account token", "appAccountToken"),
                .init("revoked", "revocationDate"), .init("upgraded", "isUpgraded"), .init("signed", "signedDate"),
            ]
        case .renewalInfo:
            [
                .init("product", "productId"), .init("renews as", "autoRenewProductId"),
                .init("environment", "environment"), .init("first transaction", "originalTransactionId"),
                .init("auto-renew", "autoRenewStatus"), .init("expiration reason", "expirationIntent"),
                .init("in billing retry", "isInBillingRetryPeriod"),
                .init("grace period ends", "gracePeriodExpiresDate"),
                .init("renewal date", "renewalDate"), .init("renewal price", "renewalPrice"),
                .init("account token", "appAccountToken"), .init("signed", "signedDate"),
            ]
        case .notification:
            [
                .init("type", "notificationType"), .init("subtype", "subtype"), .init("ID", "notificationUUID"),
                .init("app", "data", "bundleId"), .init("app", "summary", "bundleId"),
                .init("app", "externalPurchaseToken", "bundleId"), .init("app", "appData", "bundleId"),
                .init("environment", "data", "environment"), .init("environment", "summary", "environment"),
                .init("environment", "appData", "environment"), .init("product", "summary", "productId"),
                .init("status", "data", "status"), .init("signed", "signedDate"),
            ]
        case .appTransaction:
            [
                .init("app", "bundleId"), .init("App Store ID", "appAppleId"), .init("environment", "receiptType"),
                .init("version", "applicationVersion"), .init("first version", "originalApplicationVersion"),
                .init("first purchased", "originalPurchaseDate"), .init("pre-ordered", "preorderDate"),
                .init("platform", "originalPlatform"), .init("ID", "appTransactionId"),
                .init("signed", "receiptCreationDate"),
            ]
        case .realtimeRequest:
            [
                .init("App Store ID", "appAppleId"), .init("product", "productId"), .init("environment", "environment"),
                .init("first transaction", "originalTransactionId"), .init("locale", "userLocale"),
                .init("request", "requestIdentifier"), .init("signed", "signedDate"),
            ]
        case .playPurchase:
            [
                .init("app", "packageName"), .init("product", "productId"), .init("products", "productIds"),
                .init("order", "orderId"), .init("purchased", "purchaseTime"), .init("quantity", "quantity"),
                .init("acknowledged", "acknowledged"), .init("auto-renew", "autoRenewing"),
                .init("account", "obfuscatedAccountId"),
            ]
        case .appReceipt:
            [
                .init("app", "bundleId"), .init("App Store ID", "appAppleId"), .init("receipt type", "receiptType"),
                .init("version", "applicationVersion"), .init("first version", "originalApplicationVersion"),
                .init("first purchased", "originalPurchaseDate"), .init("expires", "expirationDate"),
                .init("created", "receiptCreationDate"),
            ]
        }
    }

    /// Returns the value for display; nil if it is absent.
    func text(in payload: JSONObject, schema: Schema) -> String? {
        var object = payload
        var schema = schema
        for name in path.dropLast() {
            guard let inner = object[name]?.object else { return nil }
            object = inner
            if case .object(let innerSchema)? = schema[name]?.shape { schema = innerSchema }
        }
        guard let name = path.last, let value = object[name], value != .null else { return nil }
        if schema[name]?.isMoney == true, let amount = value.integer {
            return Milliunits(amount).text(decimals: CurrencyDecimals.count(of: object["currency"]?.text))
        }
        return schema[name]?.displayText(of: value) ?? value.displayText
    }
}

internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// Realistic payloads: a monthly subscription that began two months ago and has just been renewed.
struct MintedPayloads {
    private static let month: Int64 = 30 * 86_400_000

    let order: MintOrder
    let signer: TestSigner
    let now: Timestamp
    /// Distinguishes the receipts of one run and of several.
    private var serial = Int64.random(in: 1...999_999_999) * 1_000_000

    init(order: MintOrder, signer: TestSigner, now: Timestamp) {
        self.order = order
        self.signer = signer
        self.now = now
    }

    /// The next receipt, signed.
    mutating func next() throws -> String {
        serial += 1
        return switch order.kind {
        case .transaction, .playPurchase: try signer.sign(transaction)
        case .renewalInfo: try signer.sign(renewalInfo)
        case .notification: try signer.sign(try notification())
        case .appTransaction: try signer.sign(appTransaction)
        case .realtimeRequest: try signer.sign(realtimeRequest)
        }
    }

    // MARK: Kinds

    private var transaction: JWSTransactionDecodedPayload {
        var transaction = JWSTransactionDecodedPayload()
        transaction.transactionId = transactionID
        transaction.originalTransactionId = originalTransactionID
        transaction.webOrderLineItemId = "\(serial)"
        transaction.bundleId = order.bundleID
        transaction.productId = order.productID
        transaction.subscriptionGroupIdentifier = "20990001"
        transaction.purchaseDate = now
        transaction.originalPurchaseDate = later(by: -2 * Self.month)
        transaction.expiresDate = later(by: Self.month)
        transaction.quantity = 1
        transaction.type = .autoRenewableSubscription
        transaction.inAppOwnershipType = .purchased
        transaction.signedDate = now
        transaction.environment = order.environment
        transaction.transactionReason = .renewal
        transaction.storefront = "USA"
        transaction.storefrontId = "143441"
        transaction.price = Milliunits(4990)
        transaction.currency = "USD"
        transaction.appTransactionId = appTransactionID
        return transaction
    }

    private var renewalInfo: JWSRenewalInfoDecodedPayload {
        var renewalInfo = JWSRenewalInfoDecodedPayload()
        renewalInfo.originalTransactionId = originalTransactionID
        renewalInfo.autoRenewProductId = order.productID
        renewalInfo.productId = order.productID
        renewalInfo.autoRenewStatus = .on
        renewalInfo.renewalPrice = Milliunits(4990)
        renewalInfo.currency = "USD"
        renewalInfo.signedDate = now
        renewalInfo.environment = order.environment
        renewalInfo.recentSubscriptionStartDate = later(by: -2 * Self.month)
        renewalInfo.renewalDate = later(by: Self.month)
        renewalInfo.appTransactionId = appTransactionID
        return renewalInfo
    }

    private func notification() throws -> ResponseBodyV2DecodedPayload {
        var data = NotificationData()
        data.appAppleId = order.appAppleID
        data.bundleId = order.bundleID
        data.bundleVersion = "42"
        data.environment = order.environment
        data.signedTransactionInfo = try signer.sign(transaction)
        data.signedRenewalInfo = try signer.sign(renewalInfo)
        data.status = .active
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .didRenew
        notification.notificationUUID = Self.randomUUID().rawValue
        notification.data = data
        notification.version = "2.0"
        notification.signedDate = now
        return notification
    }

    private var appTransaction: JWSAppTransactionDecodedPayload {
        var appTransaction = JWSAppTransactionDecodedPayload()
        appTransaction.receiptType = order.environment
        appTransaction.appAppleId = order.appAppleID
        appTransaction.bundleId = order.bundleID
        appTransaction.applicationVersion = "42"
        appTransaction.originalApplicationVersion = "1"
        appTransaction.receiptCreationDate = now
        appTransaction.originalPurchaseDate = later(by: -3 * Self.month)
        appTransaction.appTransactionId = appTransactionID
        appTransaction.originalPlatform = .iOS
        return appTransaction
    }

    private var realtimeRequest: DecodedRealtimeRequestBody {
        var request = DecodedRealtimeRequestBody()
        request.originalTransactionId = originalTransactionID
        request.appAppleId = order.appAppleID
        request.productId = order.productID
        request.userLocale = "en-US"
        request.requestIdentifier = Self.randomUUID()
        request.signedDate = now
        request.environment = order.environment
        return request
    }

    // MARK: Values

    private var transactionID: String { "\(2_000_000_000_000_000 + serial)" }
    private var originalTransactionID: String { "\(1_000_000_000_000_000 + serial)" }
    private var appTransactionID: String { "\(7_000_000_000_000_000 + serial)" }

    private func later(by milliseconds: Int64) -> Timestamp? {
        Timestamp(milliseconds: now.millisecondsSince1970 + milliseconds)
    }

    private static func randomUUID() -> UUIDText {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }
}

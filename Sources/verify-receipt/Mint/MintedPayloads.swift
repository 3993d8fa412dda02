internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// Makes realistic payloads: a monthly subscription that started two months ago and has just been renewed.
struct MintedPayloads {
    private static let month: Int64 = 30 * 86_400_000

    let request: MintRequest
    let signer: TestSigner
    let now: Timestamp
    /// The number from which the IDs of a receipt derive; random at first, so that two runs have different IDs.
    private var serial = Int64.random(in: 1...999_999_999) * 1_000_000

    init(request: MintRequest, signer: TestSigner, now: Timestamp) {
        self.request = request
        self.signer = signer
        self.now = now
    }

    /// Returns the next signed receipt.
    mutating func next() throws -> String {
        serial += 1
        return switch request.kind {
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
        transaction.bundleId = request.bundleID
        transaction.productId = request.productID
        transaction.subscriptionGroupIdentifier = "20990001"
        transaction.purchaseDate = now
        transaction.originalPurchaseDate = later(by: -2 * Self.month)
        transaction.expiresDate = later(by: Self.month)
        transaction.quantity = 1
        transaction.type = .autoRenewableSubscription
        transaction.inAppOwnershipType = .purchased
        transaction.signedDate = now
        transaction.environment = request.environment
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
        renewalInfo.autoRenewProductId = request.productID
        renewalInfo.productId = request.productID
        renewalInfo.autoRenewStatus = .on
        renewalInfo.renewalPrice = Milliunits(4990)
        renewalInfo.currency = "USD"
        renewalInfo.signedDate = now
        renewalInfo.environment = request.environment
        renewalInfo.recentSubscriptionStartDate = later(by: -2 * Self.month)
        renewalInfo.renewalDate = later(by: Self.month)
        renewalInfo.appTransactionId = appTransactionID
        return renewalInfo
    }

    private func notification() throws -> ResponseBodyV2DecodedPayload {
        var data = NotificationData()
        data.appAppleId = request.appAppleID
        data.bundleId = request.bundleID
        data.bundleVersion = "42"
        data.environment = request.environment
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
        appTransaction.receiptType = request.environment
        appTransaction.appAppleId = request.appAppleID
        appTransaction.bundleId = request.bundleID
        appTransaction.applicationVersion = "42"
        appTransaction.originalApplicationVersion = "1"
        appTransaction.receiptCreationDate = now
        appTransaction.originalPurchaseDate = later(by: -3 * Self.month)
        appTransaction.appTransactionId = appTransactionID
        appTransaction.originalPlatform = .iOS
        return appTransaction
    }

    private var realtimeRequest: DecodedRealtimeRequestBody {
        var body = DecodedRealtimeRequestBody()
        body.originalTransactionId = originalTransactionID
        body.appAppleId = request.appAppleID
        body.productId = request.productID
        body.userLocale = "en-US"
        body.requestIdentifier = Self.randomUUID()
        body.signedDate = now
        body.environment = request.environment
        return body
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

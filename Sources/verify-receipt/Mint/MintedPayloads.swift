internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// Makes realistic payloads, by default of a monthly subscription that started two months ago and has just been
/// renewed.
struct MintedPayloads {
    static let month: Int64 = 30 * Timestamp.millisecondsPerDay

    let request: MintRequest
    /// Signs the receipts inside notifications.
    let signer: TestSigner
    private var generator: SplitMix64
    /// The number from which the IDs of a receipt derive.
    private(set) var serial: Int64

    init(request: MintRequest, signer: TestSigner) {
        self.request = request
        self.signer = signer
        generator = SplitMix64(seed: request.seed)
        serial = Int64(generator.below(999_999_999) + 1) * 1_000_000
    }

    /// Returns the payload of the next receipt of the requested kind.
    mutating func next() throws -> JSONObject { try next(request.kind) }

    /// Returns the payload of the next receipt.
    mutating func next(_ kind: ReceiptKind) throws -> JSONObject {
        serial += 1
        let uuid = UUIDText.random(using: &generator)
        var payload =
            switch kind {
            case .transaction: transaction(request.type).members
            case .renewalInfo: renewalInfo.members
            case .notification: try MintedNotification(payloads: self, uuid: uuid).payload().members
            case .appTransaction: appTransaction.members
            case .realtimeRequest: realtimeRequest(uuid).members
            case .playPurchase: playPurchase().members
            case .appReceipt: try completedAppReceipt().members
            }
        try assign(&payload, part: nil)
        if kind == .appReceipt, payload["deviceHash"] == nil { try bind(&payload) }
        return payload
    }

    /// Signs the payload of a receipt inside a notification, with the members that `--set` names.
    func sign(_ payload: some PayloadModel, as part: ReceiptKind) throws -> String {
        var members = payload.members
        try assign(&members, part: part)
        return try signer.sign(members)
    }

    private func assign(_ payload: inout JSONObject, part: ReceiptKind?) throws {
        for assignment in request.assignments where assignment.part == part { try assignment.apply(to: &payload) }
    }

    // MARK: App Store

    func transaction(_ type: ProductType) -> JWSTransactionDecodedPayload {
        let isSubscription = type == .autoRenewableSubscription
        var transaction = JWSTransactionDecodedPayload()
        transaction.transactionId = transactionID
        transaction.originalTransactionId = isSubscription ? originalTransactionID : transactionID
        transaction.webOrderLineItemId = isSubscription ? "\(serial)" : nil
        transaction.bundleId = request.bundleID
        transaction.productId = request.productID
        transaction.subscriptionGroupIdentifier = isSubscription ? "20990001" : nil
        transaction.purchaseDate = now
        transaction.originalPurchaseDate = isSubscription ? later(by: -2 * Self.month) : now
        transaction.expiresDate = isSubscription ? later(by: Self.month) : nil
        transaction.quantity = 1
        transaction.type = type
        transaction.inAppOwnershipType = .purchased
        transaction.signedDate = now
        transaction.environment = request.environment
        transaction.transactionReason = isSubscription ? .renewal : .purchase
        transaction.storefront = "USA"
        transaction.storefrontId = "143441"
        transaction.price = Milliunits(4990)
        transaction.currency = "USD"
        transaction.appTransactionId = appTransactionID
        return transaction
    }

    var renewalInfo: JWSRenewalInfoDecodedPayload {
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

    var appTransaction: JWSAppTransactionDecodedPayload {
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

    private func realtimeRequest(_ uuid: UUIDText) -> DecodedRealtimeRequestBody {
        var body = DecodedRealtimeRequestBody()
        body.originalTransactionId = originalTransactionID
        body.appAppleId = request.appAppleID
        body.productId = request.productID
        body.userLocale = "en-US"
        body.requestIdentifier = uuid
        body.signedDate = now
        body.environment = request.environment
        return body
    }

    // MARK: App receipts

    private mutating func completedAppReceipt() throws -> AppReceipt {
        var receipt = appReceipt
        try receipt.complete(using: &generator)
        return receipt
    }

    /// Stores the hash of a device, which depends on other members.
    private func bind(_ payload: inout JSONObject) throws {
        var receipt = AppReceipt(members: payload)
        try receipt.bind(toDevice: request.device?.bytes ?? AppReceipt.deviceIDOfServers)
        payload = receipt.members
    }

    // MARK: Google Play

    private mutating func playPurchase() -> PlayPurchase {
        var purchase = PlayPurchase()
        let digits = "\(3_000_000_000_000_000 + serial)0"
        let groups = [digits.prefix(4), digits.dropFirst(4).prefix(4), digits.dropFirst(8).prefix(4), digits.suffix(5)]
        purchase.orderId = "GPA." + groups.joined(separator: "-")
        purchase.packageName = request.bundleID
        purchase.productId = request.productID
        purchase.purchaseTime = now
        purchase.purchaseState = .purchased
        purchase.purchaseToken = letters(24) + ".AO-J1O" + letters(90)
        purchase.quantity = 1
        if request.type == .autoRenewableSubscription { purchase.autoRenewing = true }
        purchase.acknowledged = false
        return purchase
    }

    private mutating func letters(_ count: Int) -> String {
        let alphabet = [UInt8]("abcdefghijklmnop".utf8)
        let letters = (0..<count).map { _ in alphabet[Int(generator.below(16))] }
        return String(decoding: letters, as: UTF8.self)
    }

    // MARK: Values

    var now: Timestamp { request.now }
    var transactionID: String { "\(2_000_000_000_000_000 + serial)" }
    var originalTransactionID: String { "\(1_000_000_000_000_000 + serial)" }
    /// The transaction between the first one and the last one of a subscription.
    var middleTransactionID: String { "\(1_500_000_000_000_000 + serial)" }
    private var appTransactionID: String { "\(7_000_000_000_000_000 + serial)" }

    func later(by milliseconds: Int64) -> Timestamp { now.adding(milliseconds: milliseconds) }
}

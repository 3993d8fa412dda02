import PurchaseCore
import PurchaseVerification
import ReceiptTestAuthority
import ReceiptTypes
import ReceiptVerification
import TimerSupport

/// An app with real app receipts, and a scripted store for everything else.
struct ReceiptApp {
    static let bundleID = "com.example.app"
    static let authority: AppReceiptAuthority? = try? AppReceiptAuthority()
    static let device = DeviceID("8F3B1D0A-52C7-4E0B-9A41-6D2E7C9F0B13")
    static let otherDevice = DeviceID("00000000-52C7-4E0B-9A41-6D2E7C9F0B13")
    /// The app was sold before version 3, and `pro.lifetime` is what it became.
    static let catalog = TemplatePriceCatalog(
        version: 1, proProductIDs: ["pro.monthly", "pro.lifetime"],
        templateProductToID: ["template.a": TemplateID(rawValue: "A"), "template.b": TemplateID(rawValue: "B")],
        nonRenewingPeriods: ["pro.season": .month],
        grandfathered: [GrandfatheredProduct("pro.lifetime", before: AppVersion(3))])

    let store: ScriptedStore
    let scripted = ScriptedVerifier()
    let ledger: any PurchaseLedger
    let fulfiller = FulfilmentRecorder()
    let log = LogRecorder()
    let clock = ManualClock()

    /// Creates an app whose store cannot be reached.
    init(ledger: any PurchaseLedger = InMemoryLedger()) async {
        store = ScriptedStore(verifier: scripted)
        self.ledger = ledger
        await store.fail(StoreError(.network, "offline"))
    }

    /// Makes the store answer.
    func goOnline() async { await store.fail(nil) }

    static func verifier(
        device: DeviceID? = device, apps: [String] = [bundleID], clock: @escaping @Sendable () -> Timestamp
    ) throws -> ReceiptVerifier {
        var anchors = TrustAnchors()
        try anchors.add(try Sample.require(authority).rootCertificate)
        return ReceiptVerifier(
            policy: VerificationPolicy(apps: apps.map { .init(bundleID: $0) }, device: device), trustAnchors: anchors,
            clock: clock)
    }

    /// Launches the app.
    func launch(
        device: DeviceID? = device, apps: [String] = [bundleID], user: AppUser = .noAccounts,
        ledger: (any PurchaseLedger)? = nil
    ) throws -> PurchaseService {
        PurchaseService(
            store: store, ledger: ledger ?? self.ledger,
            verifier: ReceiptAppVerifier(
                transactions: scripted,
                receipts: try Self.verifier(device: device, apps: apps, clock: clock.now)),
            fulfiller: fulfiller, user: user,
            environment: PurchaseEnvironment(log: log, timer: StoppedTimer(), clock: clock.now))
    }

    func entitlements(_ service: PurchaseService) async throws -> Entitlements {
        EntitlementProjection(catalog: Self.catalog).entitlements(
            from: try await service.evidence(), clock: clock.now())
    }
}

/// Verifies app receipts with cryptography, and transactions as a scripted store signs them.
struct ReceiptAppVerifier: TransactionVerifying {
    let transactions: ScriptedVerifier
    let receipts: ReceiptVerifier

    func verifyTransaction(_ jws: String, at now: Timestamp) -> VerificationResult<JWSTransactionDecodedPayload> {
        transactions.verifyTransaction(jws, at: now)
    }

    func verifyRenewalInfo(_ jws: String, at now: Timestamp) -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        transactions.verifyRenewalInfo(jws, at: now)
    }

    func verifyAppReceipt(_ receipt: SignedAppReceipt, at now: Timestamp) async -> VerificationResult<AppReceipt> {
        await receipts.verifyAppReceipt(receipt, at: now)
    }
}

/// An app receipt that a test signs.
struct ReceiptSample {
    /// The date of an app that was bought in 2012.
    static let bought = Timestamp(rfc3339: "2012-03-05T09:30:00Z") ?? .minimum

    var bundleID = ReceiptApp.bundleID
    var device = ReceiptApp.device
    var originalVersion: String? = "2.10"
    var created = Timestamp(rfc3339: "2012-09-01T12:00:00Z") ?? .minimum
    var type = AppReceiptType.production
    var purchases: [AppReceiptPurchase] = []
    var form = AppReceiptAuthority.Form.sha1

    func contents() throws -> TestAppReceipt {
        var receipt = AppReceipt()
        receipt.receiptType = type
        receipt.appAppleId = 123
        receipt.bundleId = bundleID
        receipt.applicationVersion = "2.11"
        receipt.receiptCreationDate = created
        receipt.originalPurchaseDate = Self.bought
        receipt.originalApplicationVersion = originalVersion
        receipt.inApp = purchases
        var generator = SystemRandomNumberGenerator()
        try receipt.complete(using: &generator)
        try receipt.bind(toDevice: try Sample.require(device).bytes)
        return TestAppReceipt(receipt)
    }

    func signed(by authority: AppReceiptAuthority? = ReceiptApp.authority) throws -> [UInt8] {
        try Sample.require(authority).signer(form).sign(try contents())
    }

    /// Returns an in-app purchase.
    static func purchase(
        _ id: String, _ productID: String, bought: Timestamp = bought,
        change: (inout AppReceiptPurchase) -> Void = { _ in }
    ) -> AppReceiptPurchase {
        var purchase = AppReceiptPurchase()
        purchase.productId = productID
        purchase.transactionId = id
        purchase.originalTransactionId = id
        purchase.purchaseDate = bought
        purchase.originalPurchaseDate = bought
        switch Sample.type(of: productID) {
        case .consumable: purchase.productType = .consumable
        case .autoRenewableSubscription:
            purchase.productType = .autoRenewableSubscription
            purchase.expiresDate = bought.adding(milliseconds: 30 * Sample.day)
            purchase.webOrderLineItemId = 77
        case .nonRenewingSubscription: purchase.productType = .nonRenewingSubscription
        default: purchase.productType = .nonConsumable
        }
        change(&purchase)
        return purchase
    }
}

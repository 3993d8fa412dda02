import Foundation
import PurchaseCore
import PurchaseVerification
import ReceiptTestAuthority
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

@testable import PurchaseStorage

/// Tests app receipts in a ledger that is closed, edited, copied and erased.
@Suite("App receipts in the database", .timeLimit(.minutes(15)))
struct AppReceiptStorageTests {
    private static let authority: AppReceiptAuthority? = try? AppReceiptAuthority()
    private static let device = DeviceID("8F3B1D0A-52C7-4E0B-9A41-6D2E7C9F0B13")
    private static let catalog = TemplatePriceCatalog(
        version: 1, proProductIDs: ["pro.lifetime"],
        grandfathered: [GrandfatheredProduct("pro.lifetime", before: AppVersion(3))])
    private static let alice = PurchaseSample.alice

    private let files = TestDatabase()

    private func verifier(_ device: DeviceID? = Self.device) throws -> ReceiptVerifier {
        var anchors = TrustAnchors()
        try anchors.add(try #require(Self.authority).rootCertificate)
        return ReceiptVerifier(
            policy: VerificationPolicy(apps: [.init(bundleID: "com.example.app")], device: device),
            trustAnchors: anchors, clock: { SimulatedApp.start })
    }

    /// Launches the app offline over a database, or over the files as another process would.
    private func launch(
        _ files: TestDatabase? = nil, _ device: DeviceID? = Self.device, user: AppUser = .noAccounts,
        damage: DamageRecorder = DamageRecorder()
    ) throws -> PurchaseService {
        PurchaseService(
            store: OfflineStore(), ledger: DatabaseLedger(try (files ?? self.files).open(damage: damage)),
            verifier: try verifier(device), user: user,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { SimulatedApp.start }))
    }

    private func isPro(_ service: PurchaseService) async throws -> Bool {
        EntitlementProjection(catalog: Self.catalog)
            .entitlements(from: try await service.evidence(), clock: SimulatedApp.start).isPro
    }

    private func receipt(
        purchases: Int = 1, created: String = "2012-09-01T12:00:00Z", padding: Int = 0
    ) throws -> [UInt8] {
        var receipt = AppReceipt()
        receipt.receiptType = .production
        receipt.appAppleId = 123
        receipt.bundleId = "com.example.app"
        receipt.receiptCreationDate = Timestamp(rfc3339: created)
        receipt.originalPurchaseDate = Timestamp(rfc3339: "2012-03-05T09:30:00Z")
        receipt.originalApplicationVersion = "2.10"
        receipt.inApp = (0..<purchases).map { number in
            var purchase = AppReceiptPurchase()
            purchase.productId = "template.\(number)" + String(repeating: "x", count: padding)
            purchase.productType = .nonConsumable
            purchase.transactionId = "\(1_000 + number)"
            purchase.originalTransactionId = "\(1_000 + number)"
            purchase.purchaseDate = receipt.originalPurchaseDate
            return purchase
        }
        var generator = SystemRandomNumberGenerator()
        try receipt.complete(using: &generator)
        try receipt.bind(toDevice: try #require(Self.device).bytes)
        return try #require(Self.authority).signer(.sha1).sign(TestAppReceipt(receipt))
    }

    @Test("an app bought in 2012 unlocks offline after a restart, with nothing but the file")
    func restart() async throws {
        _ = try await launch().restore(appReceipt: try receipt())
        let service = try launch()
        #expect(try await isPro(service))
        let evidence = try await service.evidence()
        #expect(evidence.transactions.map(\.id) == ["1000"])
        #expect(evidence.appPurchases.map(\.originalAppVersion) == ["2.10"])
        let entries = try await DatabaseLedger(try files.open()).entries()
        #expect(entries.map(\.source) == [.appReceipt])
        let text = try #require(entries.first?.transaction.signedText)
        #expect(entries.map(\.transaction.content) == [.appReceipt(SignedAppReceipt(base64: text))])
    }

    @Test("a copy of the files on another device unlocks nothing")
    func copiedFiles() async throws {
        _ = try await launch().restore(appReceipt: try receipt())
        let copy = try files.copy()
        #expect(try await isPro(try launch(copy)))
        let service = try launch(copy, DeviceID("3c:22:fb:0a:91:5e"))
        #expect(try await !isPro(service))
        #expect(try await service.evidence().transactions.isEmpty)
    }

    @Test(
        "an entry that another program has changed grants nothing and is reported",
        arguments: [
            "UPDATE deliveries SET stage = 4", "UPDATE deliveries SET source = 'history'",
            "UPDATE deliveries SET account_digest = zeroblob(32)",
            "UPDATE deliveries SET store = 'google-play'", "UPDATE deliveries SET product_id = 'x'",
            "UPDATE signed_texts SET sealed = zeroblob(length(sealed))", "DELETE FROM signed_texts",
        ])
    func edited(_ change: String) async throws {
        let bytes = try receipt()
        _ = try await launch().restore(appReceipt: bytes)
        try files.execute(change)
        let damage = DamageRecorder()
        let service = try launch(damage: damage)
        #expect(try await !isPro(service))
        #expect(!damage.tables.isEmpty)
        // The receipt is still on the device.
        _ = try await launch().restore(appReceipt: bytes)
        #expect(try await isPro(try launch()))
    }

    @Test("a ledger with another receipt than the signed one grants nothing, although it calls it recorded")
    func forged() async throws {
        let database = try files.open()
        let ledger = DatabaseLedger(database)
        var bytes = try receipt()
        bytes[bytes.count - 1] ^= 1
        let delivery = SignedTransaction(
            appReceipt: SignedAppReceipt(bytes), transactionID: "app", bundleID: "com.example.app")
        _ = try await ledger.observe(delivery, from: .appReceipt, at: SimulatedApp.start)
        let transaction = try PurchaseSample.purchase("app").transaction
        _ = try await ledger.markVerified(transaction, signedText: delivery.signedText)
        _ = try await ledger.record(transaction, signedText: delivery.signedText, for: nil)
        #expect(try await !isPro(try launch()))
    }

    @Test("a receipt with two thousand purchases is stored once, and each later one takes its place")
    func size() async throws {
        let first = try receipt(purchases: 2_000, padding: 200)
        let service = try launch()
        let restored = try await service.restore(appReceipt: first).verifiedPayload
        #expect(restored?.restored.count == 2_000)
        for month in 10...12 {
            _ = try await service.restore(
                appReceipt: try receipt(purchases: 2_000, created: "2012-\(month)-01T12:00:00Z", padding: 200))
        }
        #expect(try files.integer("SELECT count(*) FROM deliveries") == 1)
        #expect(try files.integer("SELECT count(*) FROM signed_texts") == 1)
        let stored = try #require(try files.integer("SELECT length(sealed) FROM signed_texts"))
        #expect(stored < Int64(first.count) * 3 / 2)
        #expect(try await launch().evidence().transactions.count == 2_000)
    }

    @Test("the receipt of a deleted user is gone from every file")
    func erased() async throws {
        let database = try files.open()
        let service = PurchaseService(
            store: OfflineStore(), ledger: DatabaseLedger(database), verifier: try verifier(),
            user: .signedIn(Self.alice),
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { SimulatedApp.start }))
        let bytes = try receipt()
        _ = try await service.restore(appReceipt: bytes)
        #expect(try await isPro(service))
        _ = try await database.erase(Self.alice)
        #expect(try files.integer("SELECT count(*) FROM deliveries") == 0)
        #expect(try files.integer("SELECT count(*) FROM signed_texts") == 0)
        #expect(try await !isPro(try launch(user: .signedIn(Self.alice))))
    }

    @Test("an import takes an app receipt of another ledger only after verifying it for this device")
    func imported() async throws {
        let old = InMemoryLedger()
        let service = PurchaseService(
            store: OfflineStore(), ledger: old, verifier: try verifier(),
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { SimulatedApp.start }))
        _ = try await service.restore(appReceipt: try receipt())
        let ledger = DatabaseLedger(try files.open())
        let refused = try await ledger.importEntries(
            of: old, verifier: try verifier(DeviceID("3c:22:fb:0a:91:5e")), at: SimulatedApp.start)
        #expect(refused.refused.map(\.failure.code) == [.deviceMismatch])
        let imported = try await ledger.importEntries(of: old, verifier: try verifier(), at: SimulatedApp.start)
        #expect(imported.imported == 1 && imported.refused.isEmpty)
        #expect(try await isPro(try launch()))
    }

    @Test("a backup and a recovered database still unlock by the receipt")
    func recovered() async throws {
        _ = try await launch().restore(appReceipt: try receipt())
        let copy = TestDatabase()
        try FileManager.default.createDirectory(
            atPath: copy.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try await files.open().backUp(to: copy.path)
        #expect(try await isPro(try launch(copy)))
        try copy.execute("UPDATE deliveries SET number = number")
        _ = try copy.recover()
        #expect(try await isPro(try launch(copy)))
    }
}

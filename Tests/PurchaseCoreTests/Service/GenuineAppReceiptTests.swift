import Foundation
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// App receipts that Apple signed, which stand beside the repository. Nothing names the devices that they are bound to.
private enum GenuineReceipts {
    static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/realdata/receipts/sandbox-2015-sha1.der")

    static var arePresent: Bool { FileManager.default.fileExists(atPath: file.path()) }
}

@Suite(
    "Restoring genuine app receipts",
    .enabled(if: GenuineReceipts.arePresent, "the folder with app receipts is missing beside the repository")
)
struct GenuineAppReceiptTests {
    private func failure(app: String, device: DeviceID?) async throws -> VerificationFailure? {
        let ledger = InMemoryLedger()
        let service = PurchaseService(
            store: ScriptedStore(), ledger: ledger,
            verifier: ReceiptVerifier(policy: VerificationPolicy(apps: [.init(bundleID: app)], device: device)),
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { Sample.at(0) }))
        let bytes = [UInt8](try Data(contentsOf: GenuineReceipts.file))
        let failure = try await service.restore(appReceipt: bytes).failure
        #expect(try await ledger.entries().isEmpty)
        return failure
    }

    @Test("a receipt that Apple signed in 2015 is refused for its device alone, and for another app")
    func otherDevice() async throws {
        let bundleID = "com.cocoanetics.EmmiView"
        #expect(try await failure(app: bundleID, device: ReceiptApp.device)?.code == .deviceMismatch)
        #expect(try await failure(app: "com.example.app", device: ReceiptApp.device)?.code == .bundleIDMismatch)
        #expect(try await failure(app: bundleID, device: nil)?.code == .receiptBindingUnchecked)
    }

    @Test("what it says becomes purchases: the app, and six periods of subscriptions that have ended")
    func contents() async throws {
        let bytes = [UInt8](try Data(contentsOf: GenuineReceipts.file))
        let receipt = try #require(ReceiptVerifier().verifyAppReceipt(bytes).verifiedPayload)
        let app = try #require(AppPurchase(receipt))
        #expect(app.originalAppVersion == "1.0" && app.environment == .sandbox)
        let purchases = (receipt.inApp ?? []).compactMap { Transaction($0, of: app) }
        #expect(purchases.count == 6)
        #expect(purchases.last?.offerPaymentMode == .freeTrial)
        let catalog = TemplatePriceCatalog(version: 1, proProductIDs: Set(purchases.map(\.productID)))
        let projection = EntitlementProjection(catalog: catalog)
        let last = try #require(purchases.last)
        #expect(projection.entitlements(from: purchases, at: last.purchaseDate).isPro)
        #expect(!projection.entitlements(from: purchases, at: Sample.at(0)).isPro)
    }
}

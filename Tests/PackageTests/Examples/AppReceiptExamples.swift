import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification

/// `RestoringAppReceipts.md` of PurchaseCore.
private func restoringAppReceipts(
    _ store: any Store, _ ledger: any PurchaseLedger, _ deviceID: DeviceID, _ receiptFile: [UInt8],
    _ environment: PurchaseEnvironment
) async throws {
    let catalog = TemplatePriceCatalog(
        version: 4, proProductIDs: ["com.example.pro"],
        grandfathered: [GrandfatheredProduct("com.example.pro", before: AppVersion(3))])
    let policy = VerificationPolicy(
        apps: [.init(bundleID: "com.example.app")], environments: [.production], device: deviceID)
    let service = PurchaseService(
        store: store, ledger: ledger, verifier: ReceiptVerifier(policy: policy), environment: environment)
    let entitlements = EntitlementStore(service: service, catalog: catalog, environment: environment)
    switch try await entitlements.restore(appReceipt: receiptFile) {
    case .verified(let restored):
        print("first version: \(restored.app.originalAppVersion ?? "unknown"), \(restored.restored.count) purchases")
    case .unverified(let failure):
        print(failure.code, failure.hint)
    }

    if case .unverified(let failure)? = try await entitlements.restoreAppTransaction() {
        print(failure.code, failure.hint)
    }
}

/// The documentation of `GrandfatheredProduct`.
private func grandfatheredProduct() -> TemplatePriceCatalog {
    let catalog = TemplatePriceCatalog(
        version: 4, proProductIDs: ["com.example.pro"],
        grandfathered: [GrandfatheredProduct("com.example.pro", before: AppVersion(3))])
    return catalog
}

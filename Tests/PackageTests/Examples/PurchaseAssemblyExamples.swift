import PurchaseAssembly
import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import ReceiptVerification

// The code of PurchaseAssembly's documentation.

/// `PurchaseAssembly.md`, `PurchaseStack.swift`
@MainActor
private func fewLines(catalog: TemplatePriceCatalog) async throws {
    let policy = VerificationPolicy(apps: [.init(bundleID: "com.example.notes")], environments: [.production])
    let setup = PurchaseSetup(catalog: catalog, verifier: ReceiptVerifier(policy: policy))
    let purchases = try await PurchaseStack(setup, in: PurchaseFolder("/var/lib/notes"))
    await purchases.start()
    let result = await purchases.flow.purchaseProduct("com.example.export")
    let isUnlocked = purchases.gating.canAccessSync("export")
    print(result, isUnlocked)
}

#if !canImport(Security)
    /// `PurchaseAssembly.md`, `SecretServiceKeys`
    @MainActor
    private func secretService(setup: PurchaseSetup, folder: PurchaseFolder) async throws {
        let keys = SecretServiceKeys(store: "com.example.notes")
        let purchases = try await PurchaseStack(setup, in: folder, keys: keys)
        await purchases.start()
    }
#else
    /// `KeychainSealingKeys`
    @MainActor
    private func keychain(setup: PurchaseSetup, folder: PurchaseFolder) async throws {
        let keys = KeychainSealingKeys(service: "com.example.notes.secrets")
        let purchases = try await PurchaseStack(setup, in: folder, keys: keys)
        await purchases.start()
    }
#endif

/// `LostKeys.md`
@MainActor
private func lostKeys(setup: PurchaseSetup, report: (any Error) -> Void) async throws {
    let folder = PurchaseFolder("/var/lib/notes")
    let purchases: PurchaseStack
    do {
        purchases = try await PurchaseStack(setup, in: folder)
    } catch {
        report(error)
        purchases = try await PurchaseStack(setup, startingOverIn: folder)
    }
    await purchases.start()
}

/// `PurchaseAssembly.md`, `PurchaseSetup.swift`
private func replacedParts(
    catalog: TemplatePriceCatalog, policy: VerificationPolicy, server: any CoinServer
) -> PurchaseSetup {
    @Sendable func audited(_ ledger: DatabaseLedger) -> any PurchaseLedger { ledger }
    var setup = PurchaseSetup(catalog: catalog, verifier: ReceiptVerifier(policy: policy))
    setup.fulfiller = CoinFulfiller(server: server)
    setup.ledger = { audited(DatabaseLedger($0)) }
    return setup
}

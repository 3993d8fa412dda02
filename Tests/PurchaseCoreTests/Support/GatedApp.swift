import PurchaseCore
import ReceiptTypes

/// Features of an app, and their gates over a service with a scripted store.
@MainActor
struct GatedApp {
    static let features = [
        FeatureDefinition(id: "notes", name: "Notes", level: .free),
        FeatureDefinition(id: "export", name: "Export", level: .premium, productIDs: ["export.once", "pro.monthly"]),
        FeatureDefinition(id: "sync", name: "Sync", level: .premium, productIDs: ["pro.monthly", "pack"]),
        FeatureDefinition(id: "scan", name: "Scan", level: .premium, productIDs: ["pack"]),
        FeatureDefinition(id: "gifts", name: "Gifts", level: .premium, productIDs: ["coins"]),
    ]

    static func catalog() throws -> TemplatePriceCatalog {
        TemplatePriceCatalog(version: 1, proProductIDs: ["pro.lifetime"], features: try FeatureCatalog(features))
    }

    let harness: ServiceHarness
    let store: EntitlementStore
    let timer: ClockTimer
    let gating: FeatureGatingService

    init(account: UUIDText? = nil) throws {
        harness = ServiceHarness(account: account)
        timer = ClockTimer(harness.clock)
        store = EntitlementStore(
            service: harness.service, catalog: try Self.catalog(),
            environment: PurchaseEnvironment(timer: ManualTimer(), clock: harness.clock.now))
        gating = FeatureGatingService(
            entitlements: store,
            environment: PurchaseEnvironment(log: harness.log, timer: timer, clock: harness.clock.now))
    }

    /// The features that are granted now.
    var granted: [FeatureID] { Self.features.map(\.id).filter { gating.canAccessSync($0) } }

    func buy(_ productID: String) async {
        _ = await harness.service.purchase(productID: productID)
        await store.refresh()
    }
}

import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes

// The code of `AnAppOnTheSimulator.md`.

@MainActor
struct NotesApp {
    static let products = [
        ConfiguredProduct(
            id: "notes.yearly", type: .autoRenewableSubscription, price: Milliunits(19_990),
            subscription: ConfiguredSubscription(groupID: "notes", level: 1, period: .year)),
        ConfiguredProduct(id: "notes.export", type: .nonConsumable, price: Milliunits(4_990)),
        ConfiguredProduct(id: "notes.coins", type: .consumable, price: Milliunits(990)),
    ]

    static func setup(_ simulator: StoreSimulator) throws -> PurchaseSetup {
        let export = FeatureDefinition(id: "export", name: "Export", level: .premium, productIDs: ["notes.export"])
        let catalog = TemplatePriceCatalog(
            version: 1, proProductIDs: ["notes.yearly"], features: try FeatureCatalog([export]))
        return PurchaseSetup(
            catalog: catalog, store: simulator.customer("customer"), verifier: simulator.receiptVerifier,
            environment: simulator.environment())
    }

    let purchases: PurchaseStack

    init(_ setup: PurchaseSetup, in folder: PurchaseFolder) async throws {
        purchases = try await PurchaseStack(setup, in: folder)
        await purchases.start()
    }

    func status() async throws -> String {
        let coins = try await purchases.records.getAllPurchases().filter { $0.productID == "notes.coins" }
        return "export \(purchases.gating.access(to: "export")), coins \(coins.map(\.remainingQuantity).reduce(0, +))"
    }
}

@MainActor
func runNotes(from start: Timestamp, in folder: String) async throws -> [String] {
    let simulator = try StoreSimulator(selling: NotesApp.products, now: start)
    let setup = try NotesApp.setup(simulator)
    let app = try await NotesApp(setup, in: PurchaseFolder("\(folder)/phone"))
    let updates = app.purchases.entitlements.updates()
    let prices = await app.purchases.products.loadProductMetadata(["notes.export"]).products.map(\.displayPrice)
    var screen = ["\(try await app.status()): \(prices.joined())"]
    for product in ["notes.export", "notes.coins", "notes.yearly"] {
        screen.append("\(await app.purchases.flow.purchaseProduct(product).outcome): \(try await app.status())")
    }
    for await entitlements in updates where entitlements.isPro {
        screen.append("observed: Pro \(entitlements.isPro)")
        break
    }
    await app.purchases.stop()
    let restarted = try await NotesApp(setup, in: PurchaseFolder("\(folder)/phone"))  // the process has ended
    screen.append("restarted: \(try await restarted.status())")
    let otherDevice = try await NotesApp(setup, in: PurchaseFolder("\(folder)/tablet"))
    screen.append("\(await otherDevice.purchases.flow.restorePurchases().outcome): \(try await otherDevice.status())")
    return screen
}

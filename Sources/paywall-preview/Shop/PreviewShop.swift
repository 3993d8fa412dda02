internal import LocalStore
internal import PurchaseAssembly
internal import PurchaseCore
internal import PurchaseSimulation
internal import ReceiptTypes

/// An app over the simulated store, with the parts that a released app has.
@MainActor
final class PreviewShop {
    private let configuration: StoreConfiguration
    private let purchases: PurchaseStack
    private let feed: EventFeed
    private var changes: Task<Void, Never>?

    init(_ configuration: StoreConfiguration, in folder: PreviewFolder, feed: EventFeed) async throws {
        self.configuration = configuration
        self.feed = feed
        let simulator = try StoreSimulator(
            configuration: configuration, signer: SimulatorSigner(folder: folder.keys), file: folder.state,
            initial: SimulatorState(
                seed: 1, now: DeviceClock.now(), app: SimulatedApp(bundleID: "com.example.app"),
                settings: configuration.settings))
        var setup = PurchaseSetup(
            catalog: try Self.catalog(of: configuration), store: simulator.customer("customer"),
            verifier: simulator.receiptVerifier, clock: simulator.clock)
        setup.log = feed
        purchases = try await PurchaseStack(setup, in: PurchaseFolder(folder.app))
    }

    /// Subscriptions unlock Pro; each other product that lasts unlocks a feature with its own id.
    private static func catalog(of configuration: StoreConfiguration) throws -> TemplatePriceCatalog {
        let lasting = configuration.products.filter { $0.type == .nonConsumable }
        let features = lasting.map {
            FeatureDefinition(
                id: FeatureID(rawValue: $0.id), name: $0.referenceName, level: .premium, productIDs: [$0.id])
        }
        return TemplatePriceCatalog(
            version: 1, proProductIDs: Set(configuration.products.filter { $0.subscription != nil }.map(\.id)),
            features: try FeatureCatalog(features))
    }

    /// Loads what the customer has, and sends an event for each change from then on.
    func start() async {
        await purchases.start()
        // The first update is what the first page shows.
        let updates = purchases.entitlements.updates().dropFirst()
        changes = Task { [feed] in
            for await entitlements in updates { feed.send("entitlements", ["pro": .boolean(entitlements.isPro)]) }
        }
    }

    func stop() async {
        changes?.cancel()
        await purchases.stop()
    }

    /// The products in the order of the file, with what the customer has of each.
    func items() async -> [ShopPage.Item] {
        let ids = configuration.products.map(\.id)
        let products = await purchases.products.loadProductMetadata(ids).products
        let entitlements = purchases.entitlements.entitlements
        return products.map { product in
            ShopPage.Item(product: product, state: state(of: product, entitlements))
        }
    }

    private func state(of product: Product, _ entitlements: Entitlements) -> String? {
        if let balance = entitlements.balances[product.id], balance > 0 { return "\(balance) bought" }
        let grounds = entitlements.grounds.values.joined()
        return grounds.contains { $0.productID.isIdentical(to: product.id) } ? "unlocked" : nil
    }

    /// Buys a product, and returns how that ended; nil if the shop does not have the product.
    func buy(_ productID: String) async -> String? {
        guard configuration.products.contains(where: { $0.id.isIdentical(to: productID) }) else { return nil }
        return "\(await purchases.flow.purchaseProduct(productID).outcome)"
    }
}

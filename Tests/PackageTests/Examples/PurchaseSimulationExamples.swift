import Foundation
import LocalStore
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import Testing

// The code of PurchaseSimulation's documentation.

/// `AnAppOnTheSimulator.md`
@MainActor
struct NotesApp {
    static let ids = ["notes.yearly", "notes.lifetime"]
    static let catalog = TemplatePriceCatalog(version: 1, proProductIDs: Set(ids))
    static let products = [
        ConfiguredProduct(
            id: ids[0], type: .autoRenewableSubscription, price: Milliunits(19_990),
            subscription: ConfiguredSubscription(groupID: "notes", level: 1, period: .year)),
        ConfiguredProduct(id: ids[1], type: .nonConsumable, price: Milliunits(49_990)),
    ]

    let service: PurchaseService
    let entitlements: EntitlementStore
    let coordinator: ProSubscriptionCoordinator

    /// Launches the app over the journal of its earlier launches.
    init(_ simulator: StoreSimulator, _ journal: any PurchaseJournal) {
        service = PurchaseService(simulator: simulator, journal: journal)
        entitlements = EntitlementStore(service: service, catalog: Self.catalog, clock: simulator.clock)
        coordinator = ProSubscriptionCoordinator(purchaseService: service, entitlementRefresher: entitlements)
    }

    /// The status line of the app's screen.
    var status: String {
        guard let pro = entitlements.entitlements.purchases(of: .pro).first(where: \.isGranted) else { return "free" }
        return pro.renewsOn.map { "pro, renews on \("\($0)".prefix(10))" } ?? "pro"
    }
}

@MainActor
func runNotes(from start: Timestamp) async throws -> [String] {
    let simulator = try StoreSimulator(selling: NotesApp.products, now: start)
    let journal = InMemoryJournal()  // in an app: a journal that is durable
    let app = NotesApp(simulator, journal)
    await app.entitlements.start().value
    let prices = try await app.service.products(for: NotesApp.ids).map(\.displayPrice)
    var screen = ["\(app.status): \(prices.joined(separator: " a year, or "))"]

    var changes = app.entitlements.updates().makeAsyncIterator()
    _ = await changes.next()  // the present state; every later element is a change
    let outcome = await app.coordinator.buyPro(productID: "notes.yearly")
    _ = await changes.next()
    screen.append("\(outcome): \(app.status)")
    app.entitlements.stop()

    let restarted = NotesApp(simulator, journal)  // the same device, after the process has ended
    await restarted.entitlements.start().value
    screen.append("restarted: \(restarted.status)")

    let otherDevice = NotesApp(simulator, InMemoryJournal())
    let restore = try await otherDevice.entitlements.restore()
    screen.append("restored \(restore.history.restored.count): \(otherDevice.status)")
    return screen
}

/// `PurchaseSimulation.md`
private func firstPurchase() async throws {
    let simulator = try StoreSimulator(selling: [
        ConfiguredProduct(id: "lamp", type: .nonConsumable, price: Milliunits(990))
    ])
    let service = PurchaseService(simulator: simulator)
    print(await service.purchase(productID: "lamp"))  // success(verified: true)
    simulator.isOnline = false
    try simulator.perform { engine in try engine.advance(by: .seconds(86_400)) }
    simulator.isOnline = true
}

@Suite("The example app of the documentation")
struct AppExampleTests {
    /// The blocks of the article, without their fences.
    private func blocks() throws -> [[String]] {
        let path = "Sources/PurchaseSimulation/PurchaseSimulation.docc/AnAppOnTheSimulator.md"
        let text = try String(contentsOf: PackageFiles.root.appending(path: path), encoding: .utf8)
        return text.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map { block in
            block.element.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast().map(
                String.init)
        }
    }

    @Test("the example app has at most 60 lines, and shows what its article says")
    func run() async throws {
        let blocks = try blocks()
        try #require(blocks.count == 2)
        #expect(blocks[0].count <= 60)
        let start = try #require(Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
        #expect(try await runNotes(from: start) == blocks[1])
    }
}

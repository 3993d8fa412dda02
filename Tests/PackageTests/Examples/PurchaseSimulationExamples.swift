import Foundation
import LocalStore
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import Testing

@testable import example_app

// The code of PurchaseSimulation's documentation. That of `AnAppOnTheSimulator.md` is in Tests/ExampleApp.

/// `PurchaseSimulation.md`
private func firstPurchase() async throws {
    let simulator = try StoreSimulator(selling: [
        ConfiguredProduct(id: "lamp", type: .nonConsumable, price: Milliunits(990))
    ])
    let service = PurchaseService(simulator: simulator)
    print(await service.purchase(productID: "lamp"))  // success(verified: true)
    simulator.isOnline = false
    try simulator.perform { engine in try engine.advance(byMilliseconds: 86_400_000) }
    simulator.isOnline = true
}

@Suite("The example app of the documentation", .timeLimit(.minutes(15)))
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
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await runNotes(from: start, in: folder.path()) == blocks[1])
    }
}

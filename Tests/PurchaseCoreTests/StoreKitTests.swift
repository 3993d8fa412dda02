import Foundation
import PurchaseCore
import ReceiptTypes
import Testing
import TranscriptSupport

@Suite("StoreKit")
struct StoreKitTests {
    @Test("[PSE-3] the StoreKit adapters and an app's source compile without warnings against a stub of StoreKit")
    func compiles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "storekit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try PackageFolder.compileStubs(["UIKit", "StoreKit"], of: "Tools/storekit-stub", into: folder)
        // An app's source, inside the module and so without its imports.
        let app = try String(
            contentsOf: PackageFolder.url.appending(path: "Tests/PurchaseCoreTests/Support/StoreKitApp.swift"),
            encoding: .utf8
        ).replacing("import PurchaseCore", with: "")
            .replacing("import ReceiptTypes", with: "internal import ReceiptTypes")
        let appFile = folder.appending(path: "StoreKitApp.swift")
        try app.write(to: appFile, atomically: true, encoding: .utf8)
        let sources = try PackageFolder.swiftFiles(in: "Sources/PurchaseCore").map(\.path) + [appFile.path()]
        #expect(try PackageFolder.typeCheck("PurchaseCore", sources, stubs: folder).isEmpty)
    }

    #if !canImport(StoreKit)
        @Test("[PSE-3] without StoreKit there are no products, a purchase fails as unsupported, and nothing is known")
        func fallback() async throws {
            let service = StoreKitPurchaseService()
            #expect(try await service.products(for: ["pro.yearly"]).isEmpty)
            let result = await service.purchase(productID: "pro.yearly")
            guard case .failed(let error) = result else {
                Issue.record("the purchase did not fail: \(result)")
                return
            }
            #expect((error as? StoreError)?.code == .unsupported)
            #expect(await service.currentEntitlements().isEmpty)
            await service.listenForTransactions { _ in Issue.record("the handler was called") }.value
            // An empty answer would say that the store lists nothing, which ends recorded purchases.
            #expect(try await service.evidence().isStoreReachable == false)
            await #expect(throws: StoreError(.unsupported, "")) { try await service.requestAllPurchaseHistory() }
            let store = StoreKitStore()
            for list in [store.currentEntitlements, store.unfinishedTransactions, store.history] {
                await #expect(throws: StoreError(.unsupported, "")) { try await list() }
            }
            await #expect(throws: StoreError(.unsupported, "")) { try await store.subscriptionStatuses() }
        }

        @Test("a service over StoreKit waits with the given timer for as long as the given deadlines allow")
        func deadlines() async throws {
            let timer = ManualTimer()
            let service = StoreKitPurchaseService(
                deadlines: PurchaseDeadlines(queryMilliseconds: 1_234), environment: PurchaseEnvironment(timer: timer))
            _ = try await service.products(for: ["pro.yearly"])
            #expect(timer.startCount(1_234) == 1)
        }

        @Test("an app's source for StoreKit runs over the stand-in")
        @MainActor
        func app() async throws {
            let (coordinator, entitlements) = smallApp(Sample.catalog)
            let outcome = await coordinator.buyPro(productID: "pro.yearly")
            #expect(outcome == .failed(.storeKitError(StoreError(.unsupported, ""))))
            #expect(entitlements.entitlements == .empty || entitlements.entitlements.grounds.isEmpty)
            entitlements.stop()
        }
    #endif

    @Test("a service without a ledger works, and logs that nothing is durable; one with a ledger does not")
    func withoutLedger() async throws {
        let log = LogRecorder()
        let store = ScriptedStore()
        let service = PurchaseService(
            store: store, verifier: store.verifier, environment: PurchaseEnvironment(log: log))
        #expect(log.kinds == [.notDurable])
        #expect(PurchaseResultMapping.outcome(of: await service.purchase(productID: "template.a")) == .success)
        #expect(try await service.evidence().transactions.count == 1)
        let other = LogRecorder()
        _ = PurchaseService(
            store: store, ledger: InMemoryLedger(), verifier: store.verifier,
            environment: PurchaseEnvironment(log: other))
        #expect(other.kinds.isEmpty)
    }

    @Test("the default clock is the device's")
    func deviceClock() async throws {
        let store = ScriptedStore()
        let service = PurchaseService(store: store, verifier: store.verifier)
        let earlier = try #require(Timestamp(Date.now))
        _ = try await service.evidence()
        let seen = try #require(try await service.evidence().clock.device)
        #expect(earlier <= seen && seen <= PurchaseEnvironment.deviceTime())
    }
}

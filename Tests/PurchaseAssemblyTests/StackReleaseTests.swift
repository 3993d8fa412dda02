import Foundation
import PurchaseAssembly
import PurchaseCore
import Testing

/// What an app leaves open that lets go of its stack, such as one that opens another customer's folder.
@Suite("The release of a purchase stack", .timeLimit(.minutes(5)))
@MainActor
struct StackReleaseTests {
    private let app: TestApp

    init() throws {
        app = try TestApp()
    }

    @Test(
        "A stack that is released closes its files, also if it was not stopped and work waits for another attempt",
        .enabled(if: FileManager.default.fileExists(atPath: TestApp.descriptors), "needs /proc"),
        arguments: [true, false])
    func release(isStopped: Bool) async throws {
        try await useStack(isStopped: isStopped)
        // What has begun still ends; the time limit cancels the test if something does not.
        while try !app.openFileNames().isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(try app.openFileNames() == [])
    }

    /// Leaves a purchase that is not handed over, not sent and not reported, and lets go of the stack.
    private func useStack(isStopped: Bool) async throws {
        let stack = try await app.launch { setup in
            setup.fulfiller = UnreachableServer()
            setup.syncTransport = UnreachableServer()
            setup.analyticsSink = UnreachableServer()
        }
        #expect(await stack.flow.purchaseProduct("notes.export").sale == .sold)
        #expect(await stack.flow.purchaseProduct("notes.coins").sale == .sold)
        await stack.refresh()
        #expect(try !app.openFileNames().isEmpty)
        if isStopped { await stack.stop() }
    }
}

/// A server that fails all that it is asked to do.
private struct UnreachableServer: PurchaseFulfilling, SyncTransport, AnalyticsSink {
    private static let error = SyncError(.unreachable, "no connection")

    func fulfil(_ order: FulfilmentOrder) async throws { throw Self.error }
    func send(_ submission: PurchaseSubmission) async throws(SyncError) { throw Self.error }
    func deliver(_ events: [AnalyticsEvent]) async throws { throw Self.error }
}

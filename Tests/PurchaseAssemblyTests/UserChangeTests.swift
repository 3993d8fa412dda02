import Foundation
import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import Testing

@testable import PurchaseStorage

/// The order of what happens when the app's user changes or is erased, and what it waits for.
@Suite("A change of the stack's user", .timeLimit(.minutes(15)))
@MainActor
struct UserChangeTests {
    private let app: TestApp
    private let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    private let bob = UUIDText("11111111-c51c-4bf4-9960-e1c80e27aba0")

    init() throws {
        app = try TestApp()
    }

    /// Removes the database with all of its rows.
    private func removeDatabase() throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: app.folder.databasePath + suffix)
        }
        #expect(!FileManager.default.fileExists(atPath: app.folder.databasePath))
    }

    @Test("The former user is gone from every part, also if the app's server does not answer [OTP-9.4]")
    func order() async throws {
        let server = SilentServer()
        let stack = try await app.launch { ($0.user, $0.syncTransport) = (.signedIn(alice), server) }
        defer { server.answer() }
        #expect(await stack.flow.purchaseProduct("notes.export").outcome == .success)
        #expect(stack.gating.canAccessSync("export"))
        await server.wasAsked()
        let (flow, reconciler) = (stack.flow, try #require(stack.reconciler))

        let change = Task { await stack.signOut() }
        await server.wasCancelled()
        #expect(try await stack.service.evidence().transactions.isEmpty)
        #expect(stack.user == .signedOut && stack.records.user == .signedOut)
        #expect(stack.flow !== flow && stack.reconciler !== reconciler)
        #expect(!stack.gating.canAccessSync("export"))
        let refresh = Task { await stack.refresh() }
        #expect(await stack.reconciler?.syncPendingPurchases().pending == 0, "nothing of the former user is sent")
        // Neither waits for the answer.
        await change.value
        await refresh.value
        #expect(server.state.withLock(\.received) == 1)
        #expect(!stack.gating.canAccessSync("export"))
    }

    @Test("A change of the user returns as a start does: what the account owns is loaded and in the records")
    func returnsWithRecords() async throws {
        try app.simulator.perform { engine in _ = try engine.buy("notes.export", for: "customer") }
        let stack = try await app.launch { setup in
            setup.user = .signedOut
        }
        await stack.start()
        // Both wait: also the one that finds the account signed in.
        async let first: Void = stack.signIn(alice)
        async let second: [String] = {
            await stack.signIn(alice)
            return try await stack.records.getAllPurchases().map(\.productID)
        }()
        _ = await first
        #expect(try await stack.records.getAllPurchases().map(\.productID) == ["notes.export"])
        #expect(try await second == ["notes.export"])
        #expect(stack.gating.canAccessSync("export"))
        await stack.stop()
    }

    @Test("A change of the user ends although the store does not answer", .timeLimit(.minutes(5)))
    func silentStore() async throws {
        let timer = ManualTimer()
        let store = HeldStore(try app.setup().store)
        let deadlines = PurchaseDeadlines(queryMilliseconds: 29_000)
        let stack = try await app.launch {
            ($0.user, $0.store, $0.environment.timer, $0.deadlines) = (.signedOut, store, timer, deadlines)
        }
        await stack.start()
        store.hold(.entitlements)
        let hasReturned = Locked(false)
        let change = Task {
            await stack.signIn(alice)
            hasReturned.withLock { $0 = true }
        }
        while !hasReturned.withLock({ $0 }), !Task.isCancelled {
            // The part of the deadline for which the store is awaited; no other wait has this length.
            timer.end(milliseconds: 23_200)
            await Task.yield()
        }
        #expect(hasReturned.withLock { $0 })
        #expect(stack.user == .signedIn(alice) && stack.entitlements.freshness == .unanswered)
        store.answer(.entitlements)
        await change.value
        await stack.refresh()
        #expect(stack.entitlements.freshness == .current)
        await stack.stop()
    }

    @Test("After a recovery, the history of each account is read when it signs in, also after another one's [OTP-3.6]")
    func historyOfEachAccount() async throws {
        let first = try await app.launch { $0.user = .signedIn(alice) }
        #expect(await first.flow.purchaseProduct("notes.export").outcome == .success)
        await first.signIn(bob)
        #expect(await first.flow.purchaseProduct("notes.yearly").outcome == .success)
        // Only the history still has it.
        let sold = try #require(try await first.records.getAllPurchases().first)
        try app.simulator.perform { try $0.refund(sold.id.transactionID) }
        await first.stop()
        try removeDatabase()

        let second = try await app.launch { $0.user = .signedIn(alice) }
        #expect(try await second.records.getAllPurchases().map(\.productID) == ["notes.export"])
        let database = second.files.database
        #expect(try await database.unfinishedRecovery(of: alice) == nil)
        #expect(try await database.unfinishedRecovery(of: bob) != nil)
        await second.signIn(bob)
        #expect(try await second.records.getAllPurchases().map(\.id) == [sold.id])
        #expect(try await database.unfinishedRecovery(of: bob) == nil)
        await second.stop()
    }

    @Test("A recovery gives no account a purchase that names none; a restore does [OTP-9.4]")
    func historyWithoutAccount() async throws {
        let first = try await app.launch { $0.user = .signedIn(bob) }
        try app.simulator.perform { engine in _ = try engine.buy("notes.export", for: "customer") }
        await first.refresh()
        let bought = try #require(try await first.records.getAllPurchases().first)
        try app.simulator.perform { try $0.refund(bought.id.transactionID) }
        // An update that is not finished would be delivered again. The time limit of the suite cancels the test.
        let ledger = DatabaseLedger(first.files.database)
        while !Task.isCancelled {
            let isRefunded = try await first.records.getAllPurchases().allSatisfy(\.isRevoked)
            if isRefunded, try await ledger.entries().allSatisfy({ $0.stage == .finished }) { break }
            await Task.yield()
        }
        await first.stop()
        try removeDatabase()

        let second = try await app.launch { $0.user = .signedIn(alice) }
        #expect(try await second.files.database.unfinishedRecovery(of: alice) == nil)
        #expect(try await second.records.getAllPurchases().isEmpty)
        await second.signIn(bob)
        #expect(try await second.records.getAllPurchases().isEmpty)
        _ = await second.flow.restorePurchases()
        #expect(try await second.records.getAllPurchases().map(\.id) == [bought.id])
        await second.stop()
    }

    @Test("An erasure that was not finished is logged, and finished by a later refresh [OTP-9.5]")
    func unfinishedErasure() async throws {
        let stack = try await app.launch()
        // As a process leaves it that was killed; a folder cannot be deleted as a file.
        try DatabaseFile(app.folder.databasePath, lockTimeout: 5_000).noteErasure([1])
        let left = app.folder.databasePath + ".damaged-20251009T085320000Z"
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
        await stack.refresh()
        #expect(app.log.count(.storageFailed) == 1)
        #expect(stack.files.database.hasUnfinishedErasure)
        try FileManager.default.removeItem(atPath: left)
        await stack.refresh()
        #expect(!stack.files.database.hasUnfinishedErasure)
        #expect(app.log.count(.storageFailed) == 1)
        await stack.stop()
    }

    @Test("A stopped stack does not repeat what has failed, and hands it over when it is started again")
    func retryWhileStopped() async throws {
        let (timer, fulfiller) = (ManualTimer(), FailingFulfiller())
        let stack = try await app.launch { ($0.environment.timer, $0.fulfiller) = (timer, fulfiller) }
        #expect(await stack.flow.purchaseProduct("notes.coins").outcome == .pending(.notHandedOver))
        await stack.stop()
        fulfiller.isReachable.withLock { $0 = true }
        timer.end(milliseconds: 5_000)
        // A retry would have had its turn before these calls end.
        for _ in 0..<20 { _ = try await stack.service.evidence() }
        #expect(fulfiller.orders.withLock { $0 }.isEmpty)
        await stack.start()
        #expect(await stack.service.waitUntilHandedOver(productID: "notes.coins"))
        #expect(fulfiller.orders.withLock { $0 } == ["notes.coins"])
        await stack.stop()
    }

    @Test("A stack that is stopped waits for the fulfiller")
    func fulfillerWhileStopping() async throws {
        let fulfiller = FailingFulfiller()
        fulfiller.isReachable.withLock { $0 = true }
        let gate = AsyncStream.makeStream(of: Void.self)
        let entered = AsyncStream.makeStream(of: Void.self)
        let timer = ManualTimer()
        let stack = try await app.launch { setup in
            setup.environment.timer = timer
            setup.fulfiller = HeldFulfiller(base: fulfiller, gate: gate.stream, entered: entered.continuation)
        }
        let purchase = Task { await stack.flow.purchaseProduct("notes.coins") }
        for await _ in entered.stream {}
        let stop = Task { await stack.stop() }
        while !timer.has(milliseconds: 60_000), !Task.isCancelled { await Task.yield() }
        gate.continuation.finish()
        await stop.value
        #expect(fulfiller.orders.withLock { $0 } == ["notes.coins"])
        #expect(app.simulator.state.transactions.map(\.isFinished) == [true])
        _ = await purchase.value
    }

    @Test("An erasure waits twenty seconds for a handler that does not return, by the timer of the app [OTP-9.5]")
    func handlerThatHangs() async throws {
        let timer = ManualTimer()
        let stack = try await app.launch { ($0.user, $0.environment.timer) = (.signedIn(alice), timer) }
        let gate = AsyncStream.makeStream(of: Void.self)
        let entered = AsyncStream.makeStream(of: Void.self)
        let listener = stack.service.listenForTransactions { _ in
            entered.continuation.finish()
            for await _ in gate.stream {}
        }
        defer { gate.continuation.finish() }
        try app.simulator.perform { engine in _ = try engine.buy("notes.export", for: "customer") }
        for await _ in entered.stream {}

        let isErased = Locked(false)
        let erasure = Task {
            defer { isErased.withLock { $0 = true } }
            return try await stack.erase(alice)
        }
        while !isErased.withLock({ $0 }), !Task.isCancelled {
            timer.end(milliseconds: 20_000)
            await Task.yield()
        }
        #expect(isErased.withLock { $0 })
        // Without the bound, the erasure ends with the handler.
        gate.continuation.finish()
        _ = try await erasure.value
        #expect(stack.user == .signedOut)
        listener.cancel()
    }
}

/// A fulfiller that fails until a test says otherwise.
private final class FailingFulfiller: PurchaseFulfilling {
    struct Unreachable: Error {}

    let isReachable = Locked(false)
    let orders = Locked<[String]>([])

    func fulfil(_ order: FulfilmentOrder) async throws {
        guard isReachable.withLock({ $0 }) else { throw Unreachable() }
        orders.withLock { $0.append(order.transaction.productID) }
    }
}

/// A fulfiller that waits for the end of a stream before each order.
private struct HeldFulfiller: PurchaseFulfilling {
    let base: any PurchaseFulfilling
    let gate: AsyncStream<Void>
    let entered: AsyncStream<Void>.Continuation

    func fulfil(_ order: FulfilmentOrder) async throws {
        entered.finish()
        for await _ in gate {}
        try await base.fulfil(order)
    }
}

/// A server that answers when a test says so, also after its caller was cancelled.
private final class SilentServer: SyncTransport {
    struct State {
        var received = 0
        var isCancelled = false
        var isAnswering = false
        var calls: [AsyncStream<Void>.Continuation] = []
    }

    let state = Locked(State())

    func send(_ submission: PurchaseSubmission) async throws(SyncError) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { state in
            state.received += 1
            if state.isAnswering { continuation.finish() } else { state.calls.append(continuation) }
        }
        await withTaskCancellationHandler {
            // A task of its own, which the cancellation does not end.
            await Task { for await _ in stream {} }.value
        } onCancel: {
            state.withLock { $0.isCancelled = true }
        }
    }

    /// Answers every call from now on.
    func answer() {
        let calls = state.withLock { state in
            state.isAnswering = true
            defer { state.calls = [] }
            return state.calls
        }
        for call in calls { call.finish() }
    }

    func wasAsked() async {
        while state.withLock({ $0.received == 0 }), !Task.isCancelled { await Task.yield() }
    }

    func wasCancelled() async {
        while state.withLock({ !$0.isCancelled }), !Task.isCancelled { await Task.yield() }
    }
}

/// A timer whose waits end when a test says so.
private final class ManualTimer: PurchaseTimer {
    private let waits = Locked<[(milliseconds: Int64, end: AsyncStream<Void>.Continuation)]>([])

    func start(milliseconds: Int64) -> Task<Void, Never> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        waits.withLock { $0.append((milliseconds, continuation)) }
        return Task { for await _ in stream {} }
    }

    /// Whether a wait of a length has begun that a test has not ended.
    func has(milliseconds: Int64) -> Bool {
        waits.withLock { $0.contains { $0.milliseconds == milliseconds } }
    }

    /// Ends all waits of a length that have begun.
    func end(milliseconds: Int64) {
        let ended = waits.withLock { waits in
            defer { waits.removeAll { $0.milliseconds == milliseconds } }
            return waits.filter { $0.milliseconds == milliseconds }
        }
        for wait in ended { wait.end.finish() }
    }
}

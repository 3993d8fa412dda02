import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import Testing

/// Purchases between a recovery of the database and the store's answer with its history.
@Suite("Purchases after a recovery", .timeLimit(.minutes(15)))
@MainActor
struct RecoveryRefusalTests {
    private let app: TestApp
    private let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")

    init() throws {
        app = try TestApp()
    }

    /// Opens the files of an app whose database was damaged after a purchase.
    private func openDamaged(
        user: AppUser = .noAccounts, then next: AppUser = .noAccounts
    ) async throws -> (PurchaseStack, HeldStore) {
        let first = try await app.launch { $0.user = user }
        #expect(await first.flow.purchaseProduct("notes.export").outcome == .success)
        await first.stop()
        try app.damageDatabase()
        var setup = try app.setup()
        let store = HeldStore(setup.store)
        (setup.store, setup.user) = (store, next)
        return (try await PurchaseStack(setup, in: app.folder), store)
    }

    private func isRefused(_ stack: PurchaseStack) async -> Bool {
        let before = app.simulator.state.transactions.count
        let outcome = await stack.flow.purchaseProduct("notes.coins").outcome
        let isSold = app.simulator.state.transactions.count > before
        #expect(isSold == (outcome == .success))
        return outcome == .failed(PurchaseFlowError(.recoveryInProgress, ""))
    }

    @Test("Nothing is sold from a recovery on until the store has answered with its history [OTP-3.6]")
    func refused() async throws {
        let (stack, store) = try await openDamaged()
        #expect(await isRefused(stack), "before the start")
        store.hold(.entitlements)
        store.hold(.history)
        let start = Task { await stack.start() }
        await store.wasAsked(.entitlements)
        #expect(await isRefused(stack), "while the entitlements are loaded")
        store.answer(.entitlements)
        await store.wasAsked(.history)
        #expect(await isRefused(stack), "while the history is read")
        store.failHistory(StoreError(.network, "down"))
        store.answer(.history)
        await start.value
        #expect(await isRefused(stack), "offline")
        store.failHistory(nil)
        await stack.refresh()
        #expect(await !isRefused(stack))

        try app.damageDatabase()
        store.hold(.history)
        let asked = store.count(.history)
        let recovery = Task { try await stack.recover() }
        await store.wasAsked(.history, times: asked + 1)
        #expect(await isRefused(stack), "after a recovery of the open database")
        store.answer(.history)
        #expect(try await recovery.value != nil)
        #expect(await !isRefused(stack))
        await stack.stop()
    }

    @Test("A store that fails for good when it is asked for its history does not end all sales")
    func storeWithoutHistory() async throws {
        let (stack, store) = try await openDamaged()
        store.failHistory(StoreError(.unsupported, "no history"))
        await stack.start()
        #expect(try await stack.files.database.unfinishedRecovery() != nil)
        #expect(await !isRefused(stack))
        await stack.stop()
    }

    @Test("An account that signs in after a recovery buys as soon as the history was read for it")
    func accounts() async throws {
        let (stack, store) = try await openDamaged(user: .signedIn(alice), then: .signedOut)
        await stack.start()
        store.hold(.history)
        let asked = store.count(.history)
        let signIn = Task { await stack.signIn(alice) }
        await store.wasAsked(.history, times: asked + 1)
        #expect(await isRefused(stack))
        store.answer(.history)
        await signIn.value
        #expect(await !isRefused(stack))
        await stack.stop()
    }

    @Test("A recovery while the history is read for an earlier one has its own reading [OTP-3.6]")
    func recoveryDuringTheReading() async throws {
        let (stack, store) = try await openDamaged()
        store.hold(.history)
        let start = Task { await stack.start() }
        await store.wasAsked(.history)
        let database = stack.files.database
        let first = try #require(try await database.unfinishedRecovery())
        try app.change("UPDATE purchases SET product_id = 'notes.coins'")
        let recovery = Task { try await stack.recover() }
        while try await database.unfinishedRecovery()?.id == first.id, !Task.isCancelled { await Task.yield() }
        store.answer(.history)
        await start.value
        #expect(try await recovery.value != nil)
        #expect(try await database.unfinishedRecovery() == nil)
        #expect(store.count(.history) == 2)
        #expect(try await stack.records.getAllPurchases().map(\.productID) == ["notes.export"])
        await stack.stop()
    }

    /// Launches an app whose store can be held, with a purchase.
    private func launchHeld() async throws -> (PurchaseStack, HeldStore) {
        let store = HeldStore(try app.setup().store)
        let stack = try await app.launch { $0.store = store }
        #expect(await stack.flow.purchaseProduct("notes.export").outcome == .success)
        return (stack, store)
    }

    @Test("A purchase whose row was dropped is recorded again from the ledger while the store is silent [OTP-3.6]")
    func recordedWithoutHistory() async throws {
        let (stack, store) = try await launchHeld()
        store.failHistory(StoreError(.network, "down"))
        try app.change("UPDATE purchases SET product_id = 'notes.coins'")
        while try await stack.records.getAllPurchases().map(\.productID) != ["notes.export"], !Task.isCancelled {
            await Task.yield()
        }
        #expect(await isRefused(stack), "the history was not read")
        #expect(try await stack.files.database.unfinishedRecovery() != nil)
        await stack.stop()
    }

    @Test("After a recovery by another process, purchases are refused until the history is read [OTP-8.4]")
    func recoveredByAnotherProcess() async throws {
        let (stack, store) = try await launchHeld()
        store.hold(.history)
        try app.damageDatabase()
        let other = try await app.openFiles()
        #expect(try await other.database.unfinishedRecovery() != nil)
        while !stack.recoveryLock.isLocked, !Task.isCancelled {
            _ = try await stack.records.getAllPurchases()
            await Task.yield()
        }
        #expect(await isRefused(stack))
        await store.wasAsked(.history)
        store.answer(.history)
        while stack.recoveryLock.isLocked, !Task.isCancelled { await Task.yield() }
        #expect(await !isRefused(stack))
        #expect(try await stack.records.getAllPurchases().map(\.productID).contains("notes.export"))
        await stack.stop()
    }
}

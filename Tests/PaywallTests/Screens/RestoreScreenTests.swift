import LocalStore
import Paywall
import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import Testing
import TimerSupport

/// The restore button over the simulator and a real database.
@Suite("Restore screen", .timeLimit(.minutes(15)))
@MainActor
struct RestoreScreenTests {
    private let files = DatabaseFolder()

    /// A store in which the parent has bought products on another device.
    private func store(_ products: [String]) throws -> StoreSimulator {
        let simulator = try ShopApp.simulator()
        try simulator.perform { engine in
            for product in products { _ = try engine.buy(product, for: "parent") }
        }
        return simulator
    }

    @Test("[OTP-6.1] a restore says how many purchases are back, and the next one that all are there")
    func restored() async throws {
        let app = try ShopApp(try store(["export", "suite"]), try files.open())
        #expect(app.restore.state == .idle)
        await app.restore.restore()
        #expect(app.restore.state.phase == .restored(2) && app.restore.state.message == "2 purchases are restored.")
        #expect(app.restore.state.advice.isEmpty && !app.restore.state.offersRetry)
        #expect(app.entitlements.entitlements.grants(.feature("print")))
        await app.restore.restore()
        #expect(app.restore.state.phase == .alreadyRestored)
        #expect(app.restore.state.message == "All purchases are already restored.")
        app.restore.dismiss()
        #expect(app.restore.state == .idle)
    }

    @Test("[OTP-6.4] nothing to restore is said as such, and is not an error")
    func nothingFound() async throws {
        let app = try ShopApp(try store([]), try files.open())
        await app.restore.restore()
        #expect(app.restore.state.phase == .nothingFound && !app.restore.state.offersRetry)
        #expect(app.restore.state.message == "There are no purchases to restore.")
        #expect(app.restore.state.advice.contains("another account"))
    }

    @Test("[OTP-6.6] a purchase that could not be recorded offers another attempt beside what is restored")
    func incomplete() async {
        let manager = ScriptedPurchaseManager()
        manager.restoreOutcome = .restored(2)
        manager.restoreProblems = [PurchaseError(LedgerError(.notWritten, "the database is busy"))]
        let restore = RestoreViewModel(purchase: manager, texts: ShopApp.texts, timer: StoppedTimer())
        await restore.restore()
        #expect(restore.state.phase == .restored(2) && restore.state.offersRetry && !restore.state.offersSupport)
        #expect(restore.state.advice == "1 other purchase is not restored yet. Try again.")
    }

    @Test("[OTP-6.6] a failed restore offers a retry, which succeeds when the store is back")
    func retry() async throws {
        let app = try ShopApp(try store(["export"]), try files.open())
        app.simulator.isOnline = false
        await app.restore.restore()
        guard case .failed(let error) = app.restore.state.phase else {
            Issue.record("\(app.restore.state)")
            return
        }
        #expect(error.code == .networkError && app.restore.state.offersRetry && !app.restore.state.offersSupport)
        #expect(app.restore.state.message == "The store cannot be reached.")
        #expect(app.restore.state.advice == "Check the internet connection, then try again.")
        app.simulator.isOnline = true
        await app.restore.restore()
        #expect(app.restore.state.phase == .restored(1) && app.restore.state.message == "1 purchase is restored.")
    }

    @Test("[OTP-6.5] while a restore runs, loading is shown, and a second tap starts nothing")
    func secondTap() async throws {
        let timer = HeldTimer()
        let app = try ShopApp(try store(["export"]), try files.open(), store: SilentStore(), timer: timer)
        let restoring = Task { await app.restore.restore() }
        let loading = try await app.state(of: app.restore) { $0.isLoading }
        #expect(loading.phase == .restoring && loading.message == "Restoring purchases…")
        // Returns at once, although the store has not answered.
        await app.restore.restore()
        app.restore.dismiss()
        #expect(app.restore.state == loading)
        await end(restoring, timer)
    }

    @Test("[OTP-6.5] a store that never answers ends in a failure after its deadline, so loading cannot stay")
    func silentStore() async throws {
        let timer = HeldTimer()
        let app = try ShopApp(try store(["export"]), try files.open(), store: SilentStore(), timer: timer)
        let restoring = Task { await app.restore.restore() }
        _ = try await app.state(of: app.restore) { $0.isLoading }
        await end(restoring, timer)
        guard case .failed(let error) = app.restore.state.phase else {
            Issue.record("\(app.restore.state)")
            return
        }
        #expect((error.underlying as? StoreError)?.code == .timedOut && app.restore.state.offersRetry)
    }

    /// Lets the deadlines of a restore pass.
    private func end(_ restoring: Task<OneTimeRestoreResult?, Never>, _ timer: HeldTimer) async {
        // The restore, in which the customer may have to enter a password.
        await timer.end(120_000)
        // What the flow asks the store after that.
        let deadlines = Task { while !Task.isCancelled { await timer.end(30_000) } }
        _ = await restoring.value
        deadlines.cancel()
    }

    @Test("purchases that do not verify offer support and no retry, and do not keep the others from being restored")
    func rejected() async throws {
        func spoiled(_ occurrence: Fault.Occurrence) throws -> StoreSimulator {
            let bought = try store(["export", "suite"])
            return StoreSimulator(
                configuration: bought.engine.configuration, signer: bought.signer, state: bought.state,
                faults: FaultPlan(faults: [Fault(at: .signing, when: occurrence, do: .flipBit)]))
        }
        let none = try ShopApp(try spoiled(.always), try files.open())
        #expect(try await none.restore.supportLog() == [], "nothing has failed yet")
        await none.restore.restore()
        guard case .failed(let error) = none.restore.state.phase else {
            Issue.record("\(none.restore.state)")
            return
        }
        #expect(error.flowCode == .verificationFailed)
        #expect(none.restore.state.offersSupport && !none.restore.state.offersRetry)
        let log = String(decoding: try await none.restore.supportLog() ?? [], as: UTF8.self)
        #expect(log.contains("verification: signature-invalid"))

        let otherFiles = DatabaseFolder()
        let some = try ShopApp(try spoiled(.nth(1)), try otherFiles.open())
        await some.restore.restore()
        #expect(some.restore.state.phase == .restored(2), "the store signs a transaction again for its list")
        #expect(some.restore.state.advice == "1 other purchase could not be restored. Contact support.")
        #expect(some.restore.state.offersSupport && !some.restore.state.offersRetry)
    }
}

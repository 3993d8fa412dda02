import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Failures of the journal")
struct JournalFailureTests {
    /// Runs a customer's day while one call of the journal fails, and returns the call's name; nil if there are fewer
    /// calls.
    private func failedCall(_ number: Int) async throws -> String? {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        await simulator.failJournal(atCall: number)
        let service = PurchaseService(
            store: harness.store, journal: CrashingJournal(harness.journal, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller, log: harness.log, timer: harness.timer, clock: harness.clock.now)
        var thrown = 0
        func count(_ call: () async throws -> Void) async {
            do { try await call() } catch { thrown += 1 }
        }
        let subscription = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly"))
        await harness.store.setEntitled([subscription])
        // A fulfiller that fails, so that the claim is released.
        await harness.fulfiller.setReachable(false)
        _ = await service.purchase(productID: "coins")
        await harness.fulfiller.setReachable(true)
        await service.resumeUnfinishedPurchases()
        await harness.store.answer("pro.yearly", .success(.pending))
        _ = await service.purchase(productID: "pro.yearly")
        _ = await service.waitUntilHandedOver(productID: "gems")
        await count { _ = try await service.evidence() }
        await count { _ = try await service.pendingPurchases() }
        await count { _ = try await service.requestAllPurchaseHistory() }
        _ = await service.currentEntitlements()
        await harness.store.fail(StoreError(.network, "down"))
        _ = await service.currentEntitlements()
        // Callers do not wait until a purchase is handed over, which also calls the journal.
        await service.suspend()
        guard let failed = await simulator.failedJournalCall else { return nil }
        let isLogged = harness.log.kinds.contains(.journalFailed)
        #expect(isLogged || thrown > 0, "call \(number), \(failed)")
        return failed
    }

    @Test("each error of the journal is thrown or logged")
    func everyCall() async throws {
        let kinds: Set = [
            "observe", "markVerified", "record", "claimFulfilment", "release", "markGranted", "markFinished", "entries",
            "recordedEntries", "fulfilment", "renewalInfos", "memory", "updateMemory", "compact",
        ]
        var failed: Set<String> = []
        // Calls run concurrently, so one pass over the numbers can miss a kind.
        for _ in 0..<5 where !kinds.isSubset(of: failed) {
            var number = 0
            while number < 1_000, let name = try await failedCall(number + 1) {
                failed.insert(name)
                number += 1
            }
            #expect((41..<1_000).contains(number))
        }
        #expect(kinds.subtracting(failed) == [])
    }
}

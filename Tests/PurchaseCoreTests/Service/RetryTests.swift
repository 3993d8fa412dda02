import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Deliveries that cannot be verified or recorded at first.
@Suite("Retries", .timeLimit(.minutes(15)))
struct RetryTests {
    @Test("a purchase whose verification fails retryably is verified again with growing pauses while the service runs")
    func verified() async throws {
        let harness = ServiceHarness()
        let signed = harness.verifier.sign(Sample.payload("1", "coins"))
        let failure = VerificationFailure(code: .verificationTimedOut)
        harness.verifier.fail(signed.signedText, with: failure)
        await harness.store.answer("coins", .success(.success(signed)))
        let (ids, handled) = AsyncStream.makeStream(of: String.self)
        let listener = harness.service.listenForTransactions { result in
            if let id = result.verifiedPayload?.id { handled.yield(id) }
        }
        await harness.store.deliver(harness.verifier.sign(Sample.payload("0", "template.b")))
        #expect(await ids.first { _ in true } == "0", "the listener runs")
        let result = await harness.service.purchase(productID: "coins")
        #expect(PurchaseResultMapping.outcome(of: result) == .pending(.unverified(failure)))
        harness.timer.advance(by: 5_000)
        await harness.timer.started(10_000)
        harness.timer.advance(by: 10_000)
        await harness.timer.started(20_000)
        #expect(await harness.fulfiller.balance == 0)
        harness.verifier.fail(signed.signedText, with: nil)
        harness.timer.advance(by: 20_000)
        #expect(await ids.first { _ in true } == "1")
        #expect(await harness.service.waitUntilHandedOver(productID: "coins"))
        #expect(await harness.fulfiller.balance == 1)
        #expect(await harness.store.finished.contains("1"))
        harness.store.endUpdates()
        await listener.value
    }

    @Test("a service that is suspended repeats nothing, and repeats at once what waits when it is resumed")
    func suspended() async throws {
        let harness = ServiceHarness()
        await harness.fulfiller.setReachable(false)
        let result = await harness.service.purchase(productID: "coins")
        #expect(PurchaseResultMapping.outcome(of: result) == .pending(.notHandedOver))
        await harness.service.suspend()
        harness.timer.advance(by: 5_000)
        // A retry would have had its turn before these calls end.
        for _ in 0..<20 { _ = try await harness.service.evidence() }
        #expect(harness.timer.startCount(10_000) == 0)
        await harness.fulfiller.setReachable(true)
        await harness.service.resume()
        #expect(await harness.service.waitUntilHandedOver(productID: "coins"))
        #expect(await harness.fulfiller.balance == 1)
        #expect(harness.timer.startCount(10_000) == 0)
    }

    @Test("after a change of user, a purchase of the former one waits for that user, and no other one gets it")
    func changedUser() async throws {
        let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
        let harness = ServiceHarness(account: anna)
        // Without a token, only the service knows the buyer.
        let signed = harness.verifier.sign(Sample.payload("1", "coins"))
        harness.verifier.fail(signed.signedText, with: VerificationFailure(code: .verificationTimedOut))
        await harness.store.answer("coins", .success(.success(signed)))
        _ = await harness.service.purchase(productID: "coins")
        let waiting = Task { await harness.service.waitUntilHandedOver(productID: "coins") }
        await harness.service.signOut()
        let count = harness.verifier.verificationCount
        harness.verifier.fail(signed.signedText, with: nil)
        harness.timer.advance(by: 5_000)
        #expect(await waiting.value == false)
        #expect(harness.verifier.verificationCount == count)

        await harness.store.deliver(signed)
        await harness.service.signIn(UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d"))
        await harness.service.resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.balance == 0)
        await harness.service.signIn(anna)
        #expect(await harness.service.waitUntilHandedOver(productID: "coins"))
        #expect(await harness.fulfiller.balance == 1)
    }

    @Test("a purchase whose retry came while another user was signed in is tried again when its buyer is back")
    func dueForFormerUser() async throws {
        let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
        let harness = ServiceHarness(account: anna)
        let simulator = CrashSimulator(crashingAt: .max)
        let service = harness.service(of: anna, interruptedBy: simulator)
        let gate = Gate()
        await harness.store.hold(gate)
        let purchase = Task { await service.purchase(productID: "coins") }
        await gate.arrived()
        await service.signIn(UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d"))
        await service.resumeUnfinishedPurchases()
        // When the answer is written, and when it is ingested: the ledger does not know the purchase then.
        await simulator.failLedger(.observe)
        await simulator.failLedger(.verify)
        await gate.open()
        #expect(PurchaseResultMapping.outcome(of: await purchase.value) == .pending(.notRecorded))
        harness.timer.advance(by: 5_000)
        // The turn of the retry comes before these calls end.
        for _ in 0..<20 { _ = try await service.evidence() }
        #expect(try await harness.ledger.entries().isEmpty)
        // The store's list would bring it too.
        await harness.store.fail(StoreError(.network, "down"))
        await service.signIn(anna)
        // The time limit of the suite cancels the test.
        while await harness.fulfiller.balance == 0, !Task.isCancelled { await Task.yield() }
        #expect(await harness.fulfiller.balance == 1)
    }

    @Test("a verification that fails finally after a retryable failure ends the retries")
    func rejected() async throws {
        let harness = ServiceHarness()
        let forged = harness.verifier.forge(Sample.payload("1", "coins"))
        harness.verifier.fail(forged.signedText, with: VerificationFailure(code: .verificationTimedOut))
        await harness.store.answer("coins", .success(.success(forged)))
        _ = await harness.service.purchase(productID: "coins")
        harness.verifier.fail(forged.signedText, with: nil)
        let waiting = Task { await harness.service.waitUntilHandedOver(productID: "coins") }
        harness.timer.advance(by: 5_000)
        #expect(await waiting.value == false)
        #expect(try await harness.ledger.entries().map(\.quarantineReason) == [.signatureInvalid])
        #expect(harness.timer.startCount(10_000) == 0)
    }

    @Test("a transaction that cannot be recorded has one retry, however often the store signs it")
    func oneRetry() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        await simulator.failLedger(.record, count: .max)
        for time in 0..<50 {
            await harness.store.setEntitled([
                harness.verifier.sign(Sample.payload("1", "template.a", signed: Sample.at(Int64(time))))
            ])
            _ = try await service.evidence()
        }
        let attempts = Gate()
        await attempts.open()
        await simulator.holdLedger(.record, at: attempts)
        let started = harness.timer.startCount(120_000)
        for round in 1...5 {
            harness.timer.advance(by: 120_000)
            await harness.timer.started(120_000, count: started + round)
        }
        #expect(await attempts.arrivals == 5)
        await simulator.failLedger(.record, count: 0)
        harness.timer.advance(by: 120_000)
        #expect(await service.waitUntilHandedOver(productID: "template.a"))
        #expect(try await harness.ledger.entries().map(\.stage) == [.granted])
    }

    @Test("a refund that cannot be verified is retried although another version of the purchase is recorded since")
    func otherVersion() async throws {
        let harness = ServiceHarness()
        let refund = harness.verifier.sign(
            Sample.payload("1", "template.a", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) })
        harness.verifier.fail(refund.signedText, with: VerificationFailure(code: .verificationTimedOut))
        await harness.store.deliver(refund)
        await harness.service.resumeUnfinishedPurchases()
        await harness.store.setEntitled([harness.verifier.sign(Sample.payload("1", "template.a"))])
        #expect(try await harness.entitlements().templates.count == 1)
        harness.verifier.fail(refund.signedText, with: nil)
        harness.timer.advance(by: 5_000)
        _ = await harness.service.waitUntilHandedOver(productID: "template.a")
        await harness.store.fail(StoreError(.network, "down"))
        #expect(try await harness.entitlements().templates.isEmpty)
    }
}

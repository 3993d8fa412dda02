import ReceiptTypes
import Testing

@testable import PurchaseCore
@testable import ReceiptVerification

/// How the verified purchases of a service get into the records of its user.
@Suite("Recording of purchases", .timeLimit(.minutes(15)))
struct PurchaseRecorderTests {
    private let harness = ServiceHarness()
    private let records = MemoryRecords()
    private let timer = ManualTimer()

    private func recorder(_ service: (any PurchaseServicing)? = nil) -> PurchaseRecorder {
        PurchaseRecorder(
            service: service ?? harness.service, records: records, catalog: nil, log: harness.log, timer: timer)
    }

    /// Buys a product, and returns its signed text.
    @discardableResult
    private func buy(_ productID: String) async throws -> String {
        _ = await harness.service.purchase(productID: productID)
        return try #require(try await harness.ledger.entries().last).transaction.signedText
    }

    /// Lets the writes pass, and says when one arrives.
    private func openGate() async -> Gate {
        let gate = Gate()
        await gate.open()
        await records.holdWrites(gate)
        return gate
    }

    @Test("[OTP-2.3] a purchase that the verifier has not decided about is recorded after another attempt")
    func undecided() async throws {
        let open = try await buy("template.a")
        try await buy("coins")
        harness.verifier.fail(open, with: VerificationFailure(code: .verificationTimedOut))
        let recorder = recorder(harness.restarted())
        let pass = await recorder.record()
        #expect(await records.productIDs == ["coins"])
        #expect(pass.isIncomplete(of: "template.a") && !pass.isIncomplete(of: "coins"))
        #expect(harness.log.kinds.filter { $0 == .recordsFailed }.count == 1)
        harness.verifier.fail(open, with: nil)
        let gate = await openGate()
        timer.advance(by: 5_000)
        await gate.arrived()
        await recorder.waitForPasses()
        #expect(await records.productIDs == ["coins", "template.a"])
    }

    @Test("a burst of deliveries records each purchase once, in a pass that runs and one that waits")
    func burst() async throws {
        let transactions = try (1...300).map { try Sample.transaction("\($0)", "coins") }
        let service = RecordedService(VerifiedPurchases(transactions.map { VerifiedPurchase($0, .jws($0.id)) }))
        let recorder = recorder(service)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await recorder.record() }
            await service.gate.arrived()
            for _ in 0..<300 { group.addTask { _ = await recorder.record() } }
            await service.gate.open()
        }
        #expect(await records.writes == 300)
        #expect(await records.recorded.count == 300)
    }

    @Test("what an earlier pass has written is written again only if that is asked for")
    func again() async throws {
        try await buy("template.a")
        let recorder = recorder()
        await recorder.record()
        await recorder.record()
        #expect(await records.writes == 1)
        try await records.deletePurchase(try #require(await records.recorded.keys.first))
        await recorder.record(again: true)
        #expect(await records.productIDs == ["template.a"])
    }

    @Test("a call to the database that never ends is given up at its deadline, and the purchase is recorded later")
    func deadline() async throws {
        try await buy("template.a")
        let gate = Gate()
        await records.holdWrites(gate)
        let recorder = recorder()
        async let pass = recorder.record()
        await gate.arrived()
        timer.advance(by: 30_000)
        let problem = try #require(await pass.problem(of: "template.a") as? DatabaseError)
        #expect(problem.code == .busy)
        let open = await openGate()
        timer.advance(by: 5_000)
        await open.arrived()
        await recorder.waitForPasses()
        #expect(await records.productIDs == ["template.a"])
        await gate.open()
    }

    @Test("a purchase that is refused for good is neither tried again nor in the way of the others")
    func lasting() async throws {
        try await buy("template.a")
        try await buy("template.b")
        try await buy("pro.lifetime")
        await records.refuse("sale-1")
        await records.fail("sale-2", with: DatabaseError(.constraint, "a bad row"))
        let recorder = recorder()
        let pass = await recorder.record()
        #expect(await records.productIDs == ["pro.lifetime"])
        #expect((pass.problem(of: "template.a") as? PurchaseFlowError)?.code == .conflict)
        #expect((pass.problem(of: "template.b") as? DatabaseError)?.code == .constraint)
        #expect(pass.problem(of: "pro.lifetime") == nil)
        #expect(timer.startCount(5_000) == 0, "another attempt would fail too")
        let second = await recorder.record()
        #expect(second.problems.count == 2 && second.problems.allSatisfy(\.isLasting))
        #expect(await records.writes == 3)
        #expect(harness.log.kinds.filter { $0 == .conflict || $0 == .recordsFailed }.count == 2, "logged once")
    }

    @Test("[OTP-9.5] a stopped recorder ends a pass before its next write, and begins no other")
    func stopped() async throws {
        try await buy("template.a")
        try await buy("template.b")
        let gate = Gate()
        await records.holdWrites(gate)
        let recorder = recorder()
        async let pass = recorder.record()
        await gate.arrived()
        recorder.stop()
        async let end: Void = recorder.waitForPasses()
        await gate.open()
        _ = await (pass, end)
        #expect(await records.recorded.count == 1, "the write that had begun")
        await recorder.record()
        #expect(await records.recorded.count == 1)
        #expect(timer.startCount(5_000) == 0)
        recorder.resume()
        await recorder.record()
        #expect(await records.recorded.count == 2)
    }

    @Test("[OTP-7.5] a purchase that no longer verifies is recorded as unverified until it verifies again")
    func invalidated() async throws {
        let jws = try await buy("template.a")
        await recorder().record()
        let id = try #require(await records.recorded.keys.first)
        #expect(try await records.getPurchase(id)?.isVerified == true)
        harness.verifier.fail(jws, with: VerificationFailure(code: .verificationTimedOut))
        await recorder(harness.restarted()).record()
        #expect(try await records.getPurchase(id)?.isVerified == true, "nothing is decided")
        harness.verifier.fail(jws, with: VerificationFailure(code: .bundleIDMismatch))
        await recorder(harness.restarted()).record()
        #expect(try await records.getPurchase(id)?.verification == .unverified(.bundleIDMismatch))
        harness.verifier.fail(jws, with: nil)
        await recorder(harness.restarted()).record()
        #expect(try await records.getPurchase(id)?.isVerified == true)
    }

    @Test("[OTP-7.5] a purchase with one version that verifies stays verified")
    func oneVersion() async throws {
        let jws = try await buy("template.a")
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("sale-1", "template.a", signed: Sample.at(9)) { $0.revocationDate = Sample.at(9) }))
        await harness.service.resumeUnfinishedPurchases()
        await recorder().record()
        harness.verifier.fail(jws, with: VerificationFailure(code: .signatureInvalid))
        await recorder(harness.restarted()).record()
        #expect(await records.recorded.values.map(\.purchase.isVerified) == [true])
    }
}

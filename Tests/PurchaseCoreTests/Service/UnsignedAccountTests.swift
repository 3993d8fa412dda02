import PurchaseCore
import ReceiptTypes
import Testing

/// Purchases of accounts that are not a UUID, which the App Store does not sign: only the service knows the buyer.
@Suite("Accounts that the store does not sign", .timeLimit(.minutes(15)))
struct UnsignedAccountTests {
    private let anna = UUIDText("anna")
    private let bert = UUIDText("bert")

    private func outcome(_ result: PurchaseResult) -> PurchaseOutcome { PurchaseResultMapping.outcome(of: result) }

    @Test("an approval that arrives while another user is signed in is the purchase of the user that waits for it")
    func approval() async throws {
        let harness = ServiceHarness(account: anna)
        await harness.store.answer("coins", .success(.pending))
        #expect(outcome(await harness.service.purchase(productID: "coins")) == .pending(.awaitingApproval))
        await harness.service.signIn(bert)
        // Bought by bert before, as its date says.
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins", bought: Sample.at(day: -9))))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("2", "coins", bought: Sample.at(1))))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.evidence().transactions.map(\.id) == ["1"])
        #expect(await harness.fulfiller.orders.map(\.account) == [bert])
        await harness.service.signIn(anna)
        #expect(await harness.service.waitUntilHandedOver(productID: "coins"))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.evidence().transactions.map(\.id) == ["2"])
        #expect(try await harness.service.pendingPurchases().isEmpty)
        #expect(await harness.fulfiller.orders.map(\.account) == [bert, anna])
    }

    @Test("a sale that the store delivers after the deadline, while another user is signed in, is its buyer's")
    func afterTheDeadline() async throws {
        let harness = ServiceHarness(account: anna)
        let gate = Gate()
        await harness.store.hold(gate)
        let sale = harness.verifier.sign(Sample.payload("1", "coins"))
        await harness.store.answer("coins", .success(.success(sale)))
        let purchase = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        harness.timer.advance(by: PurchaseDeadlines().purchaseMilliseconds)
        #expect(outcome(await purchase.value) == .pending(.noAnswer))
        await harness.service.signIn(bert)
        await harness.store.deliver(sale)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.evidence().transactions.isEmpty)
        await gate.open()
        await harness.service.signIn(anna)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.evidence().transactions.map(\.id) == ["1"])
        #expect(await harness.fulfiller.orders.map(\.account) == [anna])
    }

    @Test("what the store has sold to one user and answers to another user's purchase too stays the first one's")
    func sameAnswer() async throws {
        let harness = ServiceHarness(account: anna)
        let simulator = CrashSimulator(crashingAt: .max)
        let service = harness.service(of: anna, interruptedBy: simulator)
        let sale = harness.verifier.sign(Sample.payload("1", "template.a"))
        await harness.store.answer("template.a", .success(.success(sale)))
        let gate = Gate()
        await harness.store.hold(gate)
        let first = Task { await service.purchase(productID: "template.a") }
        await gate.arrived()
        await service.signIn(bert)
        let second = Task { await service.purchase(productID: "template.a") }
        await gate.arrived(2)
        await service.signIn(anna)
        // Either answer can be the first. The user changes again before it is written, and the other one arrives.
        await simulator.interrupt(before: "ledger.observe") { [bert] in await service.signIn(bert) }
        await gate.open()
        let isAnnas = [.success, .pending(.awaitingSignIn)].contains(outcome(await first.value))
        _ = await second.value
        let owners = try await harness.ledger.entries().map(\.account)
        #expect(owners == [isAnnas ? anna : bert])
        await service.signIn(anna)
        await service.resumeUnfinishedPurchases()
        _ = await service.waitUntilHandedOver(productID: "template.a")
        #expect(await harness.fulfiller.orders.map(\.account) == owners)
    }

    @Test("the user to whom the store has answered first has bought what it answers to another user too")
    func firstAnswer() async throws {
        let harness = ServiceHarness(account: anna)
        let simulator = CrashSimulator(crashingAt: .max)
        let service = harness.service(of: anna, interruptedBy: simulator)
        let sale = harness.verifier.sign(Sample.payload("1", "template.a"))
        await harness.store.answer("template.a", .success(.success(sale)))
        let (annas, berts) = (Gate(), Gate())
        await harness.store.hold(annas)
        let first = Task { await service.purchase(productID: "template.a") }
        await annas.arrived()
        await service.signIn(bert)
        await harness.store.hold(berts)
        let second = Task { await service.purchase(productID: "template.a") }
        await berts.arrived()
        // The first answer is noted and not written yet.
        await simulator.interrupt(before: "ledger.observe") {
            await berts.open()
            _ = await second.value
        }
        await annas.open()
        #expect(outcome(await first.value) == .pending(.awaitingSignIn))
        #expect(try await harness.ledger.entries().map(\.account) == [anna])
    }

    @Test("a sale whose answer never comes is answered by its transaction")
    func answeredByUpdate() async throws {
        let harness = ServiceHarness(account: anna)
        let gate = Gate()
        await harness.store.hold(gate)
        let listener = harness.service.listenForTransactions { _ in }
        let purchase = Task { await harness.service.purchase(productID: "template.a") }
        await gate.arrived()
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "template.a")))
        #expect(outcome(await purchase.value) == .success)
        await gate.open()
        harness.store.endUpdates()
        await listener.value
    }
}

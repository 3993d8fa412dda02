import PurchaseCore
import ReceiptTypes
import Testing

/// Whose purchase a transaction without an account is, while another user waits for the store.
@Suite("The owner of a purchase", .timeLimit(.minutes(15)))
struct PurchaseOwnerTests {
    private static let anna = UUIDText("anna")
    private static let bert = UUIDText("bert")

    private func outcome(_ result: PurchaseResult) -> PurchaseOutcome { PurchaseResultMapping.outcome(of: result) }

    /// Returns a harness in which anna waits for the approval of a purchase, and bert is signed in.
    private func awaitingApproval(of productID: String) async -> ServiceHarness {
        let harness = ServiceHarness(account: Self.anna)
        await harness.store.answer(productID, .success(.pending))
        #expect(outcome(await harness.service.purchase(productID: productID)) == .pending(.awaitingApproval))
        await harness.service.signIn(Self.bert)
        return harness
    }

    /// Returns a harness in which a user has begun a purchase that the store does not answer, and another is signed in.
    private func awaitingAnswer(
        to productID: String, of user: UUIDText = anna, before next: UUIDText = bert
    ) async -> (ServiceHarness, Gate) {
        let harness = ServiceHarness(account: user)
        let gate = Gate()
        await harness.store.hold(gate)
        let purchase = Task { await harness.service.purchase(productID: productID) }
        await gate.arrived()
        harness.timer.advance(by: PurchaseDeadlines().purchaseMilliseconds)
        #expect(outcome(await purchase.value) == .pending(.noAnswer))
        await harness.service.signIn(next)
        return (harness, gate)
    }

    private func deliver(_ payload: JWSTransactionDecodedPayload, in harness: ServiceHarness) async {
        await harness.store.deliver(harness.verifier.sign(payload))
        await harness.service.resumeUnfinishedPurchases()
    }

    private func ids(_ harness: ServiceHarness) async throws -> [String] {
        try await harness.service.evidence().transactions.map(\.id)
    }

    // MARK: A pending purchase of another user

    @Test("a recorded purchase is handed over, renewed and refunded for its owner")
    func recorded() async throws {
        let harness = await awaitingApproval(of: "template.a")
        let sale = Sample.payload("1", "template.a")
        await harness.store.answer("template.a", .success(.success(harness.verifier.sign(sale))))
        await harness.fulfiller.setReachable(false)
        #expect(outcome(await harness.service.purchase(productID: "template.a")) == .pending(.notHandedOver))
        await harness.fulfiller.setReachable(true)
        harness.timer.advance(by: 5_000)
        #expect(await harness.service.waitUntilHandedOver(productID: "template.a"))
        await deliver(
            Sample.payload("1", "template.a", signed: Sample.at(1)) { $0.revocationDate = Sample.at(1) }, in: harness)
        #expect(await harness.fulfiller.orders.map(\.account) == [Self.bert, Self.bert])
        #expect(await harness.fulfiller.orders.map(\.fulfilment) == [.granted, .revoked])
    }

    @Test("a renewal is no approval")
    func renewal() async throws {
        let harness = await awaitingApproval(of: "pro.monthly")
        let first = harness.verifier.sign(Sample.payload("1", "pro.monthly"))
        await harness.store.answer("pro.monthly", .success(.success(first)))
        #expect(outcome(await harness.service.purchase(productID: "pro.monthly")) == .success)
        await deliver(
            Sample.payload("2", "pro.monthly", bought: Sample.at(1), original: "1") {
                $0.transactionReason = .renewal
            }, in: harness)
        await deliver(Sample.payload("3", "pro.monthly", bought: Sample.at(2), original: "1"), in: harness)
        #expect(Set(try await ids(harness)) == ["1", "2", "3"])
    }

    @Test("a purchase that is made long after an approval was asked for is another one")
    func declined() async throws {
        let harness = await awaitingApproval(of: "coins")
        await deliver(Sample.payload("1", "coins", bought: Sample.at(day: 2)), in: harness)
        #expect(try await ids(harness) == ["1"])
    }

    @Test("an approval that only a list of the store has is the purchase of the user that waits for it")
    func listed() async throws {
        let harness = await awaitingApproval(of: "template.a")
        await harness.store.setEntitled([harness.verifier.sign(Sample.payload("1", "template.a"))])
        #expect(try await ids(harness).isEmpty)
        await harness.service.signIn(Self.anna)
        #expect(try await ids(harness) == ["1"])
    }

    @Test("a purchase on another device that a list has, from before an approval was asked for, is another one")
    func listedFromBefore() async throws {
        let harness = await awaitingApproval(of: "template.a")
        await harness.store.setEntitled([
            harness.verifier.sign(Sample.payload("1", "template.a", bought: Sample.at(-3_600_000)))
        ])
        #expect(try await ids(harness) == ["1"])
    }

    @Test("an approval ends the wait for it, also while another user is signed in")
    func approvedOnce() async throws {
        let harness = await awaitingApproval(of: "coins")
        await deliver(Sample.payload("1", "coins"), in: harness)
        await deliver(Sample.payload("2", "coins", bought: Sample.at(1)), in: harness)
        #expect(try await ids(harness) == ["2"])
    }

    @Test("an approval that arrives while no account is signed in is the purchase of the user that waits for it")
    func signedOut() async throws {
        let harness = await awaitingApproval(of: "coins")
        await harness.service.signOut()
        await deliver(Sample.payload("1", "coins"), in: harness)
        await harness.store.fail(StoreError(.network, "offline"))
        await harness.service.signIn(Self.bert)
        await harness.service.resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.orders.isEmpty)
        await harness.store.fail(nil)
        await harness.service.signIn(Self.anna)
        await harness.service.resumeUnfinishedPurchases()
        #expect(await harness.service.waitUntilHandedOver(productID: "coins"))
        #expect(await harness.fulfiller.orders.map(\.account) == [Self.anna])
    }

    // MARK: A sale that the store has not answered

    @Test("a sale that is not answered takes one purchase, and none that was made long after it")
    func notAnswered() async throws {
        let (harness, gate) = await awaitingAnswer(to: "coins")
        await deliver(Sample.payload("1", "coins"), in: harness)
        await deliver(Sample.payload("2", "coins", bought: Sample.at(1)), in: harness)
        #expect(try await ids(harness) == ["2"])
        await gate.open()
        let (other, otherGate) = await awaitingAnswer(to: "coins")
        await deliver(Sample.payload("1", "coins", bought: Sample.at(day: 2)), in: other)
        #expect(try await ids(other) == ["1"])
        await otherGate.open()
    }

    @Test("a transaction that arrives before the deadline is the sale, so a later one is another purchase")
    func beforeTheDeadline() async throws {
        let harness = ServiceHarness(account: Self.anna)
        let gate = Gate()
        await harness.store.hold(gate)
        let purchase = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        await deliver(Sample.payload("1", "coins"), in: harness)
        harness.timer.advance(by: PurchaseDeadlines().purchaseMilliseconds)
        #expect(outcome(await purchase.value) == .pending(.noAnswer))
        await harness.service.signIn(Self.bert)
        await deliver(Sample.payload("2", "coins", bought: Sample.at(1)), in: harness)
        #expect(try await ids(harness) == ["2"])
        await gate.open()
    }

    @Test("an answer that arrives while the same transaction is processed names the buyer")
    func answerInBetween() async throws {
        let harness = ServiceHarness(account: Self.anna)
        let simulator = CrashSimulator(crashingAt: .max)
        let service = harness.service(of: Self.anna, interruptedBy: simulator)
        let (sale, answer) = (Gate(), Gate())
        await harness.store.hold(sale)
        let signed = harness.verifier.sign(Sample.payload("1", "coins"))
        await harness.store.answer("coins", .success(.success(signed)))
        let purchase = Task { await service.purchase(productID: "coins") }
        await sale.arrived()
        harness.timer.advance(by: PurchaseDeadlines().purchaseMilliseconds)
        #expect(outcome(await purchase.value) == .pending(.noAnswer))
        await service.signIn(Self.bert)
        // What the change of the user has begun is over.
        await service.suspend()
        await service.resume()
        await harness.store.deliver(signed)
        await simulator.interrupt(before: "ledger.read-purchase") {
            await simulator.interrupt(before: "ledger.read-purchase") { await answer.pass() }
            await sale.open()
            await answer.arrived()
        }
        await service.resumeUnfinishedPurchases()
        #expect(try await harness.ledger.entries().map(\.account) == [Self.anna])
        await answer.open()
    }

    @Test("deliveries at once are not both the sale that is not answered")
    func deliveriesAtOnce() async throws {
        let (harness, gate) = await awaitingAnswer(to: "coins")
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("2", "coins", bought: Sample.at(1))))
        await harness.service.resumeUnfinishedPurchases()
        let owners = Set(try await harness.ledger.entries().map(\.account))
        #expect(owners == [Self.anna, Self.bert])
        await gate.open()
    }

    @Test("the answer to one sale does not end the wait for another one")
    func secondSale() async throws {
        let harness = ServiceHarness(account: Self.anna)
        let gate = Gate()
        await harness.store.hold(gate)
        let first = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        harness.timer.advance(by: PurchaseDeadlines().purchaseMilliseconds)
        #expect(outcome(await first.value) == .pending(.noAnswer))
        await harness.store.hold(nil)
        let sale = harness.verifier.sign(Sample.payload("2", "coins", bought: Sample.at(1)))
        await harness.store.answer("coins", .success(.success(sale)))
        #expect(outcome(await harness.service.purchase(productID: "coins")) == .success)
        await harness.service.signIn(Self.bert)
        await deliver(Sample.payload("1", "coins"), in: harness)
        #expect(try await ids(harness).isEmpty)
        await gate.open()
    }

    @Test(
        "a late sale is found although the device's clock differs from the store's",
        arguments: [-12 * 3_600_000, 12 * 3_600_000, -3 * 86_400_000] as [Int64])
    func otherClock(_ difference: Int64) async throws {
        let (harness, gate) = await awaitingAnswer(to: "template.a")
        let bought = Sample.at(difference)
        let results = await harness.listening {
            harness.store.send(.transaction(harness.verifier.sign(Sample.payload("1", "template.a", bought: bought))))
        }
        #expect(results.allSatisfy { $0.verifiedPayload == nil })
        #expect(try await harness.ledger.entries().map(\.account) == [Self.anna])
        await gate.open()
    }

    @Test("the answer with what another user has bought sells nothing")
    func answeredWithAnothers() async throws {
        let harness = ServiceHarness(account: Self.anna)
        let sale = harness.verifier.sign(Sample.payload("1", "template.a"))
        await harness.store.answer("template.a", .success(.success(sale)))
        let gate = Gate()
        await harness.store.hold(gate)
        let first = Task { await harness.service.countedPurchase(productID: "template.a", options: PurchaseOptions()) }
        await gate.arrived()
        await harness.store.hold(nil)
        await harness.service.signIn(Self.bert)
        #expect(outcome(await harness.service.purchase(productID: "template.a")) == .success)
        await gate.open()
        let answer = await first.value
        guard case .failed(let error) = answer.result else {
            Issue.record("\(answer.result)")
            return
        }
        #expect((error as? PurchaseFlowError)?.code == .conflict)
    }

    @Test("a sale that its own transaction has answered takes no renewal of another user")
    func answeredByUpdate() async throws {
        let harness = ServiceHarness(account: Self.anna)
        let gate = Gate()
        await harness.store.hold(gate)
        let listener = harness.service.listenForTransactions { _ in }
        let purchase = Task { await harness.service.purchase(productID: "template.a") }
        await gate.arrived()
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "template.a")))
        #expect(outcome(await purchase.value) == .success)
        await harness.service.signIn(Self.bert)
        await deliver(Sample.payload("2", "template.a", bought: Sample.at(1)), in: harness)
        #expect(try await ids(harness) == ["2"])
        await gate.open()
        harness.store.endUpdates()
        await listener.value
    }

    @Test("the App Store signs an account that is a UUID, so a purchase without one is no sale to it")
    func signedAccounts() async throws {
        let (harness, gate) = await awaitingAnswer(
            to: "coins", of: UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d"),
            before: UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d"))
        await deliver(Sample.payload("1", "coins"), in: harness)
        #expect(try await ids(harness) == ["1"])
        await gate.open()
    }
}

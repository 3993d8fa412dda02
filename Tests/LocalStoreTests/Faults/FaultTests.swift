import Foundation
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing

@testable import LocalStore

@Suite("Fault plans", .timeLimit(.minutes(15)))
struct FaultTests {
    private func updates(
        _ count: Int, of iterator: inout AsyncStream<StoreUpdate>.AsyncIterator
    ) async -> [String] {
        var products: [String] = []
        while products.count < count, let update = await iterator.next(isolation: #isolation) {
            if case .transaction(let transaction) = update { products.append(transaction.productID) }
        }
        return products
    }

    @Test("a plan survives a round trip through JSON")
    func jsonRoundTrip() throws {
        let plan = FaultPlan(
            seed: 9,
            faults: [
                Fault(at: .purchase, when: .nth(2), do: .fail(code: "network")),
                Fault(at: .delivery, when: .chance(perMille: 100), do: .duplicate(times: 3)),
                Fault(at: .delivery, do: .drop), Fault(at: .delivery, do: .holdBack(updates: 2)),
                Fault(at: .delivery, do: .delay(milliseconds: 1000)),
                Fault(at: .signing, do: .signUnderUnknownRoot), Fault(at: .signing, do: .flipBit),
                Fault(at: .beforeSaving, do: .crash),
            ])
        #expect(try JSONDecoder().decode(FaultPlan.self, from: JSONEncoder().encode(plan)) == plan)
    }

    @Test("a plan that is injected replaces the former one, and counts the visits from then on")
    func injection() async throws {
        let store = try SampleStore.simulator(
            faults: FaultPlan(faults: [Fault(at: .products, do: .fail(code: "system"))]))
        let customer = store.customer("anna")
        await #expect(throws: StoreError.self) { try await customer.products(for: ["coins"]) }
        store.inject(FaultPlan(faults: [Fault(at: .products, when: .nth(2), do: .fail(code: "network"))]))
        #expect(try await customer.products(for: ["coins"]).count == 1)
        let error = await #expect(throws: StoreError.self) { try await customer.products(for: ["coins"]) }
        #expect(error?.code == .network)
        store.inject(.none)
        #expect(try await customer.products(for: ["coins"]).count == 1)
    }

    @Test("a fault for the next visit of a point leaves the other faults alone, and so does a step with its own faults")
    func nextVisit() async throws {
        let store = try SampleStore.simulator()
        let customer = store.customer("anna")
        #expect(try await customer.products(for: ["coins"]).count == 1)
        store.injectNext(.fail(code: "network"), at: .products)
        store.injectNext(.fail(code: "system"), at: .purchase)
        // A visit has one fault, and the first one that was added.
        store.injectNext(.fail(code: "unknown"), at: .products)
        _ = try store.perform(with: FaultPlan(faults: [Fault(at: .delivery, do: .drop)])) { engine in
            try engine.buy("coins", for: "anna")
        }
        let error = await #expect(throws: StoreError.self) { try await customer.products(for: ["coins"]) }
        #expect(error?.code == .network)
        #expect(try await customer.products(for: ["coins"]).count == 1)
        store.injectNext(.fail(code: "network"), at: .products)
        await #expect(throws: StoreError.self) { try await customer.products(for: ["coins"]) }
        #expect(try await customer.products(for: ["coins"]).count == 1)
        await #expect(throws: StoreError.self) { try await customer.purchase("coins", options: .init()) }
    }

    @Test("a fault applies to the visits of its occurrence, and random ones depend on the seed alone")
    func occurrences() {
        func passes(_ occurrence: Fault.Occurrence, seed: UInt64 = 1) -> [Int] {
            var injector = FaultInjector(
                FaultPlan(seed: seed, faults: [Fault(at: .finish, when: occurrence, do: .drop)]))
            _ = injector.action(at: .history)
            return (1...1000).filter { _ in injector.action(at: .finish) != nil }
        }
        #expect(passes(.always).count == 1000)
        #expect(passes(.nth(3)) == [3])
        #expect(passes(.init(first: 998)) == [998, 999, 1000])
        #expect(passes(.init(first: 5, count: 2)) == [5, 6])
        #expect(passes(.chance(perMille: 0)).isEmpty)
        #expect((50...150).contains(passes(.chance(perMille: 100)).count))
        #expect(passes(.chance(perMille: 100)) == passes(.chance(perMille: 100)))
        #expect(passes(.chance(perMille: 100)) != passes(.chance(perMille: 100), seed: 2))
        for strange in [
            Fault.Occurrence(first: .min, count: .max), .init(first: .min, count: .min), .init(first: .max),
        ] {
            _ = passes(strange)
        }
    }

    @Test("each call can be made to fail, and a failed call has no effect", arguments: FaultPoint.allCases.prefix(8))
    func failingCalls(_ point: FaultPoint) async throws {
        let store = try SampleStore.simulator(
            faults: FaultPlan(faults: [Fault(at: point, when: .nth(1), do: .fail(code: "network"))]))
        let coins = try store.perform { try $0.purchase("coins") }
        let customer = store.customer("anna")
        func call() async throws {
            switch point {
            case .products: _ = try await customer.products(for: [])
            case .purchase: _ = try await customer.purchase("template.a", options: PurchaseOptions())
            case .unfinishedTransactions: _ = try await customer.unfinishedTransactions()
            case .currentEntitlements: _ = try await customer.currentEntitlements()
            case .subscriptionStatuses: _ = try await customer.subscriptionStatuses()
            case .history: _ = try await customer.history()
            case .finish: try await customer.finish(transactionID: coins.id)
            default: try await customer.synchronize()
            }
        }
        let before = store.state
        let error = await #expect(throws: StoreError.self) { try await call() }
        #expect(error?.code == .network)
        #expect(store.state == before)
        try await call()
    }

    @Test("a dropped update is delivered again at the next launch")
    func drops() async throws {
        let store = try SampleStore.simulator(
            faults: FaultPlan(faults: [Fault(at: .delivery, when: .nth(1), do: .drop)]))
        var first = store.customer("anna").updates().makeAsyncIterator()
        _ = try store.perform { try $0.purchase("coins") }
        _ = try store.perform { try $0.purchase("template.a") }
        #expect(await updates(1, of: &first) == ["template.a"])
        var second = store.customer("anna").updates().makeAsyncIterator()
        #expect(await updates(2, of: &second) == ["coins", "template.a"])
    }

    @Test("finishing a purchase does not finish a refund that was not delivered")
    func finishesWhatIsSeen() async throws {
        let store = try SampleStore.simulator(
            faults: FaultPlan(faults: [Fault(at: .delivery, when: .nth(1), do: .drop)]))
        let customer = store.customer("anna")
        var iterator = customer.updates().makeAsyncIterator()
        let answer = try await customer.purchase("coins", options: PurchaseOptions())
        guard case .success(let coins) = answer else {
            Issue.record("the purchase was not completed: \(answer)")
            return
        }
        try store.perform { try $0.refund(coins.transactionID) }
        try await customer.finish(transactionID: coins.transactionID)
        #expect(store.engine.unfinishedTransactions(of: "anna").count == 1)
        _ = try store.perform { try $0.purchase("template.a") }
        #expect(await updates(1, of: &iterator) == ["template.a"])
        _ = try await customer.unfinishedTransactions()
        try await customer.finish(transactionID: coins.transactionID)
        #expect(store.engine.unfinishedTransactions(of: "anna").map(\.productID) == ["template.a"])
    }

    @Test("updates can be duplicated, reordered and delayed")
    func disturbedUpdates() async throws {
        func order(_ fault: Fault, _ count: Int) async throws -> [String] {
            let store = try SampleStore.simulator(faults: FaultPlan(faults: [fault]))
            var iterator = store.customer("anna").updates().makeAsyncIterator()
            for product in ["coins", "template.a", "pro.lifetime"] {
                _ = try store.perform { try $0.purchase(product) }
            }
            try store.perform { try $0.advance(byMilliseconds: 1000) }
            _ = try store.perform { try $0.purchase("pro.season") }
            return await updates(count, of: &iterator)
        }
        #expect(
            try await order(Fault(at: .delivery, when: .nth(2), do: .duplicate(times: 2)), 6)
                == ["coins", "template.a", "template.a", "template.a", "pro.lifetime", "pro.season"])
        #expect(
            try await order(Fault(at: .delivery, when: .nth(1), do: .holdBack(updates: 1)), 4)
                == ["template.a", "coins", "pro.lifetime", "pro.season"])
        #expect(
            try await order(Fault(at: .delivery, when: .nth(1), do: .holdBack(updates: 2)), 4)
                == ["template.a", "pro.lifetime", "coins", "pro.season"])
        #expect(
            try await order(Fault(at: .delivery, when: .nth(1), do: .delay(milliseconds: 1000)), 4)
                == ["template.a", "pro.lifetime", "coins", "pro.season"])
        #expect(
            try await order(Fault(at: .delivery, when: .nth(1), do: .duplicate(times: .max)), 102).dropFirst(101)
                == ["template.a"])
    }

    @Test(
        "[PFC-11] a transaction with an invalid signature is neither granted nor finished until a valid one arrives",
        arguments: [FaultAction.signUnderUnknownRoot, .flipBit])
    func invalidSignatures(_ action: FaultAction) async throws {
        let store = try SampleStore.simulator(
            faults: FaultPlan(faults: [Fault(at: .signing, when: .nth(1), do: action)]))
        let device = TestDevice()
        let app = try device.launch(store)
        let answer = await app.service.purchase(productID: "coins")
        guard case .failed(let error as PurchaseFlowError) = answer, error.code == .unverified else {
            Issue.record("an invalid signature was accepted: \(answer)")
            return
        }
        #expect(await device.wallet.balance == 0)
        #expect(store.engine.unfinishedTransactions(of: "anna").count == 1)
        await app.service.resumeUnfinishedPurchases()
        #expect(await device.wallet.balance == 1)
        #expect(store.engine.unfinishedTransactions(of: "anna").isEmpty)
    }

    @Test("the verifier distinguishes an unknown root from an invalid signature")
    func signatureFailureCodes() async throws {
        for (action, code) in [
            (FaultAction.signUnderUnknownRoot, VerificationFailure.Code.untrustedRoot), (.flipBit, .signatureInvalid),
        ] {
            let store = try SampleStore.simulator(faults: FaultPlan(faults: [Fault(at: .signing, do: action)]))
            _ = try store.perform { try $0.purchase("pro.other") }
            let customer = store.customer("anna")
            let status = try #require(try await customer.subscriptionStatuses().first)
            let verifier = try SampleStore.verifier()
            #expect(verifier.verifyTransaction(status.transaction.signedText).failure?.code == code)
            #expect(verifier.verifyRenewalInfo(status.renewalInfoJWS).failure?.code == code)
        }
    }

    @Test("after a crash every call fails and streams end")
    func crashed() async throws {
        let store = try SampleStore.simulator(faults: FaultPlan(faults: [Fault(at: .purchase, do: .crash)]))
        let customer = store.customer("anna")
        var iterator = customer.updates().makeAsyncIterator()
        for _ in 0..<2 {
            do {
                _ = try await customer.purchase("coins", options: PurchaseOptions())
                Issue.record("a crashed simulator answered a call")
            } catch {
                #expect((error.underlying as? StoreSimulatorError)?.code == .crashed)
            }
        }
        #expect(await updates(1, of: &iterator).isEmpty)
        #expect(throws: StoreSimulatorError(.crashed, "")) { try store.perform { try $0.advance(byMilliseconds: 1) } }
        var late = customer.updates().makeAsyncIterator()
        #expect(await updates(1, of: &late).isEmpty)
        #expect(store.durableState.transactions.isEmpty)
    }
}

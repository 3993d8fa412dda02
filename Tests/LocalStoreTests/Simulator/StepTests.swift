import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore

@Suite("Steps of a simulator", .timeLimit(.minutes(1)))
struct StepTests {
    @Test("a step inside a step fails, and the outer one can go on without it")
    func nestedStep() throws {
        let store = try SampleStore.simulator()
        let code = try store.perform { engine in
            _ = try engine.buy("coins", for: "anna")
            let code = errorCode { try store.perform { _ = try $0.buy("pro.lifetime", for: "anna") } }
            _ = try engine.buy("template.a", for: "anna")
            return code
        }
        #expect(code == .nestedStep)
        #expect(store.state.transactions.map(\.productID) == ["coins", "template.a"])
        let error = #expect(throws: StoreSimulatorError.self) {
            try store.perform { engine in
                try engine.advance(days: 1)
                try store.perform { try $0.advance(days: 1) }
            }
        }
        #expect(error?.code == .nestedStep)
        #expect(store.state.now == SampleStore.start)
        try store.perform { try $0.advance(days: 1) }
        #expect(store.state.now == SampleStore.start.adding(milliseconds: SampleStore.day))
    }

    @Test("the function of a step reads the simulator as it was before the step")
    func readsInside() throws {
        let store = try SampleStore.simulator()
        try store.perform { engine in
            try engine.advance(days: 1)
            #expect(store.state.now == SampleStore.start && store.durableState.now == SampleStore.start)
            #expect(store.engine.state.now == SampleStore.start)
            #expect(store.isOnline)
            store.isOnline = false
            try store.requireNoSimulatedError(in: .purchase)
            store.injectNext(.fail(code: "network"), at: .purchase)
            _ = store.customer("anna").updates()
            _ = store.playCustomer("anna")
        }
        #expect(store.state.now == SampleStore.start.adding(milliseconds: SampleStore.day))
        #expect(!store.isOnline)
    }

    @Test("each call that waits for the end of a step fails inside it")
    func waitsInside() throws {
        let store = try SampleStore.simulator()
        let coins = try store.perform { try $0.purchase("coins") }
        let calls: [() throws -> Void] = [
            { _ = try store.signedTransaction(coins.id) }, { _ = try store.appReceipt(for: "anna") },
            { _ = try store.signedAppTransaction(for: "anna") }, { _ = try store.playPurchase(coins.id) },
            { _ = try store.signedRenewalInfo(coins.id) }, { _ = try store.perform { $0.state.now } },
            { try store.perform(with: FaultPlan.none) { try $0.advance(days: 1) } },
        ]
        for (place, call) in calls.enumerated() {
            #expect(try store.perform { _ in errorCode(of: call) } == .nestedStep, "call \(place)")
        }
        _ = try store.signedTransaction(coins.id)
    }

    @Test("a step of another simulator runs inside a step")
    func otherSimulator() throws {
        let (store, other) = (try SampleStore.simulator(), try SampleStore.simulator())
        try store.perform { engine in
            try other.perform { try $0.advance(days: 2) }
            try engine.advance(days: 1)
        }
        #expect(other.state.now > store.state.now)
    }

    @Test("steps and purchases of other threads wait for a step, and none is lost")
    func otherThreads() async throws {
        let store = try SampleStore.simulator()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    if number % 2 == 0 {
                        try store.perform { _ = try $0.purchase("coins") }
                    } else {
                        _ = try await store.customer("anna").purchase("coins", options: PurchaseOptions())
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.state.transactions.count == 40)
    }
}

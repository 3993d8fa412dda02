import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

/// Devices that do not reach the store.
@Suite("A simulator offline")
struct ConnectionTests {
    private func codes(_ device: any Store) async -> [StoreError.Code?] {
        let calls: [() async throws -> Void] = [
            { _ = try await device.products(for: ["pro.yearly"]) },
            { _ = try await device.purchase("pro.yearly", options: PurchaseOptions()) },
            { _ = try await device.unfinishedTransactions() },
            { _ = try await device.currentEntitlements() },
            { _ = try await device.subscriptionStatuses() },
            { _ = try await device.history() },
            { try await device.finish(transactionID: "1") },
            { try await device.synchronize() },
        ]
        var codes: [StoreError.Code?] = []
        for call in calls {
            do {
                try await call()
                codes.append(nil)
            } catch {
                codes.append((error as? StoreError)?.code)
            }
        }
        return codes
    }

    @Test("offline, every call of a device of either store fails with the network code and sells nothing")
    func calls() async throws {
        let simulator = try SampleStore.simulator()
        simulator.isOnline = false
        for device in [simulator.customer("anna"), simulator.playCustomer("anna")] as [any Store] {
            #expect(await codes(device) == Array(repeating: .network, count: 8))
        }
        #expect(simulator.state.transactions.isEmpty && !simulator.isOnline)
        simulator.isOnline = true
        #expect(await codes(simulator.customer("anna")) == Array(repeating: nil, count: 8))
    }

    /// Buys, goes offline, refunds, and returns the stream of a device; the simulator ends with this call.
    private func streamOfRefund(isOnlineAgain: Bool) async throws -> AsyncStream<StoreUpdate> {
        let simulator = try SampleStore.simulator()
        let device = simulator.customer("anna")
        let stream = device.updates()
        let answer = try await device.purchase("pro.yearly", options: PurchaseOptions())
        guard case .success(let sale) = answer else {
            Issue.record("nothing was sold: \(answer)")
            return stream
        }
        simulator.isOnline = false
        try simulator.perform { try $0.refund(sale.transactionID) }
        if isOnlineAgain { simulator.isOnline = true }
        return stream
    }

    private func transactions(_ stream: AsyncStream<StoreUpdate>) async -> Int {
        var count = 0
        for await case .transaction in stream { count += 1 }
        return count
    }

    @Test("an update of the time offline arrives when the device is online again, and not before")
    func updates() async throws {
        #expect(await transactions(try await streamOfRefund(isOnlineAgain: false)) == 0)
        #expect(await transactions(try await streamOfRefund(isOnlineAgain: true)) == 1)
    }

    @Test("a device that was launched offline receives what is unfinished when it is online")
    func launch() async throws {
        let simulator = try SampleStore.simulator()
        let answer = try await simulator.customer("anna").purchase("pro.yearly", options: PurchaseOptions())
        guard case .success(let sale) = answer else {
            Issue.record("nothing was sold: \(answer)")
            return
        }
        simulator.isOnline = false
        var updates = simulator.customer("anna").updates().makeAsyncIterator()
        simulator.isOnline = true
        let result = await updates.next()
        guard case .transaction(let transaction)? = result else {
            Issue.record("the first update is not a transaction: \(String(describing: result))")
            return
        }
        #expect(transaction.transactionID == sale.transactionID)
    }

    @Test("a product without a name in the configuration is shown with its reference name, or else its id")
    func displayName() async throws {
        let products = [
            ConfiguredProduct(id: "lamp", type: .nonConsumable, price: Milliunits(990)),
            ConfiguredProduct(id: "oil", referenceName: "Oil", type: .consumable, price: Milliunits(990)),
        ]
        let simulator = StoreSimulator(
            configuration: StoreConfiguration(products: products), signer: try SimulatorSigner(),
            state: SampleStore.state())
        let shown = try await simulator.customer("anna").products(for: ["lamp", "oil"])
        #expect(shown.map(\.displayName) == ["lamp", "Oil"])
    }
}

import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore
@testable import ReceiptVerification

@Suite("Parts of a state file")
struct StatePartTests {
    /// Opens a state file as a command that can change anything does.
    private func open(_ path: String) throws -> StoreSimulator {
        let signer = try #require(SampleStore.signer)
        let store = try StoreSimulator(configuration: SampleStore.configuration, signer: signer, existing: path)
        return try #require(store)
    }

    /// Opens a state file for one command.
    private func open(_ path: String, for need: StateNeed) throws -> StoreSimulator {
        let signer = try #require(SampleStore.signer)
        let store = try StoreSimulator(
            configuration: SampleStore.configuration, signer: signer, existing: path, for: need)
        return try #require(store)
    }

    /// Opens a state file for purchases.
    private func open(_ path: String, for account: String?) throws -> StoreSimulator {
        try open(path, for: .purchases(of: account))
    }

    /// Returns the state of a store with many finished and unfinished purchases of one customer.
    private func longHistory(_ count: Int) throws -> SimulatorState {
        var engine = SampleStore.engine()
        for _ in 0..<count { _ = try engine.buy("coins", for: "anna") }
        return engine.state
    }

    // MARK: Agreement

    @Test("each command over a part answers and writes the same as over the complete state", arguments: 1...4)
    func agreement(_ seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            let (path, completePath) = ("\(folder)/state", "\(folder)/complete")
            var customers = try RandomCustomers(seed: seed, customers: 8)
            customers.removesTransactions = true
            var generator = SplitMix64(seed: ~seed)
            var (partCount, accepted): (Int, [String: Int]) = (0, [:])
            for round in 0..<5 {
                try customers.run(days: round % 2 == 0 ? 30 : 3, perMille: 300)
                customers.engine.updateSettings { $0.isAskToBuyEnabled = round % 3 == 1 }
                try StateFile.write(customers.engine.state, to: path)
                for _ in 0..<20 {
                    try StateFile.write(try #require(try StateFile.read(path)), to: completePath)
                    let complete = try open(completePath)
                    let command = RandomCommand(complete.state, &generator)
                    let part = try open(path, for: command.need)
                    if part.state.transactions.count < complete.state.transactions.count { partCount += 1 }
                    func run(_ store: StoreSimulator) -> Result<PurchaseAnswer?, StoreSimulatorError> {
                        do {
                            return .success(try store.perform(command.run))
                        } catch {
                            return .failure(error as? StoreSimulatorError ?? .init(.crashed, "\(error)"))
                        }
                    }
                    let answer = run(part)
                    #expect(answer == run(complete), "\(command.name)")
                    #expect(try StateFile.read(path) == StateFile.read(completePath), "\(command.name)")
                    if case .success = answer { accepted[command.name, default: 0] += 1 }
                }
                customers.engine = SimulatorEngine(
                    configuration: SampleStore.configuration, state: try #require(try StateFile.read(path)))
            }
            #expect(partCount > 60, "a part was read only \(partCount) times")
            #expect(accepted.count > 8, "only \(accepted) succeeded")
        }
    }

    @Test("an account without --account is the only one, and of several none is chosen")
    func onlyAccount() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try StateFile.write(try longHistory(3), to: path)
            #expect(try open(path, for: nil).state.transactions.count == 1)
            try StateFile.write(SampleStore.state(accounts: ["anna", "ben"]), to: path)
            #expect(try open(path, for: nil).state.accounts.count == 2)
            #expect(try open(path, for: "ben").state.accounts.map(\.name) == ["ben"])
            #expect(try open(path, for: "stranger").state.accounts.count == 2)
        }
    }

    @Test("a product names its latest transaction, also after a change to another product")
    func namedByProduct() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            var engine = SampleStore.engine()
            // The rules look at the first transaction, because of its introductory offer.
            _ = try engine.purchase("pro.basic")
            try engine.advance(days: 100)
            let latest = try engine.latestTransaction()
            _ = try engine.buy("pro.plus", for: "anna")
            try StateFile.write(engine.state, to: path)
            let store = try open(path, for: .transactions(["pro.basic"], of: "anna"))
            #expect(store.state.transactions.count < engine.state.transactions.count)
            #expect(store.state.transactions.last { $0.productID == "pro.basic" }?.id == latest.id)
        }
    }

    @Test("what belongs to an old transaction follows it: family-shared copies, and the order in Google Play")
    func relatedTransactions() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            func expectAgreement(
                _ engine: SimulatorEngine, on id: String, _ body: (inout SimulatorEngine) throws -> Void
            ) throws {
                try StateFile.write(engine.state, to: path)
                let store = try open(path, for: .transactions([id], of: nil))
                #expect(store.state.notifications.isEmpty, "the complete state was read")
                try store.perform(body)
                var complete = engine
                try body(&complete)
                #expect(try StateFile.read(path) == complete.state)
            }
            var family = SampleStore.engine(accounts: ["anna", "ben"])
            for name in ["anna", "ben"] { try family.setFamily("home", of: name) }
            _ = try family.purchase("pro.plus")
            try family.advance(days: 100)
            let old = family.state.transactions.filter { $0.account == "anna" }[1].id
            try expectAgreement(family, on: old) { try $0.refund(old) }

            // A shortened rate, so that subscriptions renew before their orders must be acknowledged.
            var play = SampleStore.engine { $0.timeRate = TimeRate(rawValue: 12) }
            _ = try play.buy("pro.other", for: "anna", PurchaseOrder(play: PlayOrder()))
            try play.advance(byMilliseconds: 3_600_000)
            let (first, third) = (play.state.transactions[0].id, play.state.transactions[2].id)
            try expectAgreement(play, on: third) { $0.finish(third) }
            play.finish(first)
            try play.refund(first)
            try expectAgreement(play, on: third) { $0.finish(third) }
        }
    }

    @Test("a pending purchase that was declined is not pending for the next command")
    func declinedPurchases() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            var engine = SampleStore.engine(accounts: ["anna", "ben", "carla"]) { $0.isAskToBuyEnabled = true }
            for name in ["anna", "ben"] { _ = try engine.buy("coins", for: name) }
            try StateFile.write(engine.state, to: path)
            let declined = try #require(engine.state.pending.last?.id)
            let store = try open(path, for: .pendingPurchases(of: nil))
            #expect(store.state.accounts.count == 2)
            try store.perform { try $0.decline(declined) }
            for account in [nil, "ben", "carla"] {
                #expect(try open(path, for: .pendingPurchases(of: account)).state.pending.map(\.account) == ["anna"])
            }
            #expect(try open(path, for: "ben").state.pending.isEmpty)
            let complete = try #require(try StateFile.read(path))
            #expect(complete.pending.map(\.account) == ["anna"])
        }
    }

    // MARK: Cost

    @Test("a purchase reads no more of a long history than of a short one, however many follow")
    func costOfPurchase() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try StateFile.write(try longHistory(2000), to: path)
            for step in 0..<40 {
                let store = try open(path, for: "anna")
                #expect(store.state.transactions.count < 30, "step \(step)")
                try store.perform { _ = try $0.buy("coins", for: "anna") }
            }
            let state = try #require(try StateFile.read(path))
            #expect(state.transactions.count == 2040 && state.notifications.count == 2040)
        }
    }

    @Test("a refund and a finished transaction read that transaction alone, wherever it is in a long history")
    func costOfRefund() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let history = try longHistory(2000)
            try StateFile.write(history, to: path)
            for index in stride(from: 0, to: 2000, by: 41) {
                let id = history.transactions[index].id
                let refund = try open(path, for: .transactions([id], of: nil))
                #expect(refund.state.transactions.count < 60)
                try refund.perform { try $0.refund(id) }
                let finish = try open(path, for: .transactions([id, "coins"], of: "anna"))
                #expect(finish.state.transactions.count < 60)
                #expect(finish.state.transaction(id)?.isRevoked == true)
                try finish.perform { $0.finish(id) }
            }
            let state = try #require(try StateFile.read(path))
            #expect(state.transactions.filter { $0.isRevoked && $0.isFinished }.count == 49)
            #expect(state.transactions.count == 2000)
        }
    }

    @Test("advancing the clock reads the customers for whom something is due, and no others")
    func costOfAdvancing() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            var engine = SampleStore.engine(accounts: ["anna"] + (0..<50).map { "customer \($0)" })
            for account in engine.state.accounts.dropFirst() { _ = try engine.buy("pro.yearly", for: account.name) }
            _ = try engine.purchase("pro.other")
            for _ in 0..<500 { _ = try engine.buy("coins", for: "anna") }
            _ = try engine.buy("coins", for: "customer 7", PurchaseOrder(play: PlayOrder()))
            try StateFile.write(engine.state, to: path)
            func advance(_ days: Int64?, _ names: [String]) throws {
                let target: @Sendable (Timestamp) -> Timestamp? = { now in
                    days.map { now.adding(milliseconds: $0 * SampleStore.day) }
                }
                let store = try open(path, for: .dueEvents(until: target))
                #expect(store.state.accounts.map(\.name).sorted() == names)
                #expect(store.state.transactions.count < 10 + names.count)
                let instant = try #require(target(store.state.now) ?? store.engine.nextEventDate)
                try store.perform { try $0.advance(to: instant) }
            }
            try advance(1, [])
            // The Play purchase is refunded after three days.
            try advance(nil, ["customer 7"])
            try advance(1, [])
            try advance(nil, ["anna"])
            let state = try #require(try StateFile.read(path))
            #expect(state.now == SampleStore.start.adding(.month))
            #expect(state.transactions.filter(\.isRevoked).map(\.account) == ["customer 7"])
            #expect(state.transactions.last?.account == "anna" && state.transactions.last?.reason == .renewal)
            try advance(365, state.accounts.map(\.name).sorted())
            #expect(try StateFile.read(path)?.subscriptions.allSatisfy { $0.expiresDate > state.now } == true)
        }
    }

    @Test("advancing the clock reads the customers whose time for an approval ends")
    func approvalDeadline() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            var engine = SampleStore.engine(accounts: ["anna", "ben", "carla"]) { $0.isAskToBuyEnabled = true }
            _ = try engine.buy("coins", for: "ben")
            try StateFile.write(engine.state, to: path)
            let end = SampleStore.start.adding(milliseconds: SampleStore.day)
            let store = try open(path, for: .dueEvents { _ in end })
            #expect(store.state.accounts.map(\.name) == ["ben"])
            try store.perform { try $0.advance(to: end) }
            #expect(try StateFile.read(path)?.pending.isEmpty == true)
            #expect(try open(path, for: "anna").engine.nextEventDate == nil)
        }
    }

    @Test("a deleted transaction is not found, and what it had hidden is found in its place")
    func deletedTransactions() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let history = try longHistory(40)
            let (id, last) = (history.transactions[3].id, history.transactions[39].id)
            try StateFile.write(history, to: path)
            let part = try open(path, for: .transactions([id], of: nil))
            #expect(throws: StoreSimulatorError.self) { try part.perform { try $0.delete(id) } }
            #expect(try StateFile.read(path) == history)
            try open(path).perform { try $0.delete(id) }
            try open(path).perform { try $0.delete(last) }
            let store = try open(path, for: .transactions([id], of: nil))
            #expect(errorCode { try store.perform { try $0.refund(id) } } == .unknownTransaction)
            let latest = try open(path, for: .transactions(["coins"], of: "anna")).state.transactions.last?.id
            #expect(latest == history.transactions[38].id)
        }
    }

    @Test("a part knows of a family that was made or left, and of a new account")
    func changedAccounts() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try StateFile.write(SampleStore.state(accounts: ["anna", "ben"]), to: path)
            func names() throws -> [String] { try open(path, for: "anna").state.accounts.map(\.name) }
            #expect(try names() == ["anna"])
            try open(path).perform { engine in
                try engine.addAccount("carla", family: "home")
                try engine.setFamily("home", of: "anna")
                _ = try engine.buy("pro.lifetime", for: "anna")
            }
            #expect(try names() == ["anna", "carla"])
            try open(path).perform { engine in try engine.setFamily(nil, of: "carla") }
            #expect(try names().first == "anna")
            try open(path).perform { $0.clear() }
            #expect(try open(path, for: "anna").state.transactions.isEmpty)
        }
    }

    @Test("of two processes with a part of the state, the one that is behind fails and changes nothing")
    func twoProcesses() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try StateFile.write(try longHistory(5), to: path)
            let (first, second) = (try open(path, for: "anna"), try open(path, for: "anna"))
            try first.perform { _ = try $0.buy("coins", for: "anna") }
            let state = try StateFile.read(path)
            #expect(throws: StoreSimulatorError(.changedState, "")) {
                try second.perform { _ = try $0.buy("coins", for: "anna") }
            }
            #expect(try StateFile.read(path) == state)
            try StateFile.write(try #require(try StateFile.read(path)), to: path)
            #expect(try StateFile.read(path)?.transactions.count == 6)
            #expect(try open(path, for: "anna").state.transactions.count == 1)
        }
    }
}

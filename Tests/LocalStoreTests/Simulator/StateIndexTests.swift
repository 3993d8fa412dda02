import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore
@testable import ReceiptVerification

@Suite("Index of a state file")
struct StateIndexTests {
    /// Opens a state file with an index, as a command that can change anything does.
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

    /// Writes a state and its index.
    private func write(_ state: SimulatorState, to path: String, compactionCount: Int = .max) throws {
        try StateFile.write(state, to: path)
        let (bytes, place) = try StateFile.content(of: state)
        var table = TransactionTable()
        try table.add(fileContent: bytes)
        let index = try StateIndex(of: state, at: place, compactionCount: compactionCount, table)
        try PrivateFile.replace(StateIndex.path(for: path), try index.content())
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try #require(FileManager.default.contents(atPath: path)))
    }

    /// Returns the state of a store with many finished and unfinished purchases of one customer.
    private func longHistory(_ count: Int) throws -> SimulatorState {
        var engine = SampleStore.engine()
        for _ in 0..<count { _ = try engine.buy("coins", for: "anna") }
        return engine.state
    }

    // MARK: Agreement

    @Test("each command over the index answers and writes the same as over the complete state", arguments: 1...4)
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
                try write(customers.engine.state, to: path)
                for _ in 0..<20 {
                    try PrivateFile.replace(completePath, try bytes(path))
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
                    #expect(try bytes(path) == bytes(completePath), "\(command.name)")
                    if case .success = answer { accepted[command.name, default: 0] += 1 }
                }
                customers.engine = SimulatorEngine(
                    configuration: SampleStore.configuration, state: try #require(try StateFile.read(path)))
            }
            #expect(partCount > 60, "the index was used only \(partCount) times")
            #expect(accepted.count > 8, "only \(accepted) succeeded")
        }
    }

    @Test("an account without --account is the only one, and of several none is chosen")
    func onlyAccount() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try write(try longHistory(3), to: path)
            #expect(try open(path, for: nil).state.transactions.count == 1)
            try write(SampleStore.state(accounts: ["anna", "ben"]), to: path)
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
            // The first transaction stays in the index, because of its introductory offer.
            _ = try engine.purchase("pro.basic")
            try engine.advance(days: 100)
            let latest = try engine.latestTransaction()
            _ = try engine.buy("pro.plus", for: "anna")
            try write(engine.state, to: path)
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
                try write(engine.state, to: path)
                let store = try open(path, for: .transactions([id], of: nil))
                #expect(store.state.notifications.isEmpty, "the index was not used")
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

    @Test("a pending purchase that was declined after the index was written is not pending for the next command")
    func declinedPurchases() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            var engine = SampleStore.engine(accounts: ["anna", "ben", "carla"]) { $0.isAskToBuyEnabled = true }
            for name in ["anna", "ben"] { _ = try engine.buy("coins", for: name) }
            try write(engine.state, to: path)
            let declined = try #require(engine.state.pending.last?.id)
            let store = try open(path, for: .pendingPurchases(of: nil))
            #expect(store.state.accounts.count == 2)
            try store.perform { try $0.decline(declined) }
            for account in [nil, "ben", "carla"] {
                #expect(try open(path, for: .pendingPurchases(of: account)).state.pending.map(\.account) == ["anna"])
            }
            #expect(try open(path, for: "ben").state.pending.map(\.account) == ["anna"])
            let complete = try #require(try StateFile.read(path))
            #expect(complete.pending.map(\.account) == ["anna"])
        }
    }

    // MARK: Cost

    @Test("a purchase reads no more of a long history than of a short one, however many follow")
    func costOfPurchase() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try write(try longHistory(2000), to: path)
            let count = try bytes(path).count
            for step in 0..<40 {
                let store = try open(path, for: "anna")
                #expect(store.state.transactions.count < 30, "step \(step)")
                try store.perform { _ = try $0.buy("coins", for: "anna") }
                let index = try #require(StateIndex.read(StateIndex.path(for: path)))
                #expect(try bytes(path).count - index.place.end <= StateLog.indexedChangeCount + 4000)
            }
            #expect(try bytes(path).count > count + 2 * StateLog.indexedChangeCount)
            let state = try #require(try StateFile.read(path))
            #expect(state.transactions.count == 2040 && state.notifications.count == 2040)
        }
    }

    @Test("a refund and a finished transaction read that transaction alone, wherever it is in a long history")
    func costOfRefund() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let history = try longHistory(2000)
            try write(history, to: path)
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
            try write(engine.state, to: path)
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
            try advance(1, ["customer 7"])
            try advance(nil, ["anna", "customer 7"])
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
            try write(engine.state, to: path)
            let end = SampleStore.start.adding(milliseconds: SampleStore.day)
            let store = try open(path, for: .dueEvents { _ in end })
            #expect(store.state.accounts.map(\.name) == ["ben"])
            try store.perform { try $0.advance(to: end) }
            #expect(try StateFile.read(path)?.pending.isEmpty == true)
            #expect(try open(path, for: "anna").engine.nextEventDate == nil)
        }
    }

    @Test("a file that grows by commands on a part is replaced by a complete state, so it stays in proportion")
    func replacement() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            var engine = SampleStore.engine()
            let id = try engine.purchase("coins").id
            try write(engine.state, to: path, compactionCount: 80_000)
            var (parts, identities): (Int, Set<Int>) = (0, [])
            for step in 0..<300 {
                let store = try open(path, for: .transactions([id], of: nil))
                if store.state.notifications.isEmpty { parts += 1 }
                // Changes that leave the transactions as many as they are; only the notifications remain.
                try store.perform { engine in
                    if step.isMultiple(of: 2) { try engine.refund(id) } else { try engine.reverseRefund(id) }
                }
                #expect(try StateFile.read(path)?.transaction(id)?.isRevoked == step.isMultiple(of: 2))
                let file = try FileManager.default.attributesOfItem(atPath: path)
                identities.insert(try #require(file[.systemFileNumber] as? Int))
            }
            #expect(parts > 250, "only \(parts) commands used the index")
            #expect(identities.count > 1, "the file was never replaced")
            let complete = try StateFile.content(of: try #require(try StateFile.read(path))).bytes.count
            #expect(try bytes(path).count <= 2 * complete + 2 * StateLog.minimumChangeCount)
        }
    }

    // MARK: Crashes and other processes

    @Test("a process that is killed anywhere in a purchase leaves files from which the next purchase continues")
    func crashes() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try write(try longHistory(3), to: path)
            let before = try (state: bytes(path), index: bytes(StateIndex.path(for: path)))
            try open(path, for: "anna").perform { _ = try $0.buy("pro.lifetime", for: "anna") }
            let after = try bytes(path)
            for count in stride(from: before.state.count, through: after.count, by: 97) + [after.count] {
                let end = [UInt8](after[..<count])
                for file in [end, end + [UInt8](repeating: 0, count: after.count - count)] {
                    for index in [before.index, [], [UInt8](before.index.dropLast(9))] {
                        try PrivateFile.replace(path, file)
                        try PrivateFile.replace(StateIndex.path(for: path), index)
                        let expected = try #require(try StateFile.read(path)).transactions.count
                        #expect(expected == (count == after.count ? 4 : 3))
                        let answer = try open(path, for: "anna").perform { try $0.buy("pro.lifetime", for: "anna") }
                        if case .owned = answer { #expect(expected == 4) } else { #expect(expected == 3) }
                        #expect(try StateFile.read(path)?.transactions.count == 4)
                    }
                }
            }
        }
    }

    @Test("a process that is killed anywhere in a refund leaves files from which the next refund continues")
    func crashesInRefunds() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let history = try longHistory(40)
            let id = history.transactions[3].id
            try write(history, to: path)
            let before = try (state: bytes(path), index: bytes(StateIndex.path(for: path)))
            try open(path, for: .transactions([id], of: nil)).perform { try $0.refund(id) }
            let after = try bytes(path)
            try open(path).perform { $0.finish(id) }
            // The last index is one that was renewed by a step which the file does not have.
            let indexes = [before.index, [], [UInt8](before.index.dropLast(9)), try bytes(StateIndex.path(for: path))]
            for count in stride(from: before.state.count, through: after.count, by: 97) + [after.count] {
                for index in indexes {
                    try PrivateFile.replace(path, [UInt8](after[..<count]))
                    try PrivateFile.replace(StateIndex.path(for: path), index)
                    let isSaved = count == after.count
                    #expect(try StateFile.read(path)?.transaction(id)?.isRevoked == isSaved)
                    let store = try open(path, for: .transactions([id], of: nil))
                    if isSaved {
                        #expect(errorCode { try store.perform { try $0.refund(id) } } == .invalidAction)
                    } else {
                        try store.perform { try $0.refund(id) }
                    }
                    let state = try #require(try StateFile.read(path))
                    #expect(state.transactions.count == 40 && state.transactions.filter(\.isRevoked).map(\.id) == [id])
                }
            }
        }
    }

    @Test("a transaction that is not where the index says is not used, and a deleted one is not found")
    func movedTransactions() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let history = try longHistory(40)
            let (id, other) = (history.transactions[3].id, history.transactions[4].id)
            try write(history, to: path)
            let (file, index) = (try bytes(path), try bytes(StateIndex.path(for: path)))
            // Another digit in the price of the transaction, but not in its notification.
            let text = String(decoding: file, as: UTF8.self)
            let start = try #require(text.range(of: "\"transactions\":["))
            let price = try #require(text.range(of: "\"price\":990", range: start.upperBound..<text.endIndex))
            let edited = [UInt8](text.replacingCharacters(in: price, with: "\"price\":991").utf8)
            try PrivateFile.replace(path, edited)
            let first = history.transactions[0].id
            #expect(errorCode { _ = try open(path, for: .transactions([first], of: nil)) } == .damagedState)
            #expect(try bytes(path) == edited)

            try PrivateFile.replace(path, file)
            try PrivateFile.replace(StateIndex.path(for: path), index)
            try open(path).perform { try $0.delete(id) }
            let store = try open(path, for: .transactions([id], of: nil))
            #expect(errorCode { try store.perform { try $0.refund(id) } } == .unknownTransaction)
            #expect(try open(path, for: .transactions([other], of: nil)).state.transactions.count < 40)
        }
    }

    @Test("an index that is missing, damaged or of another file, or from before a removal, is replaced and not used")
    func unusableIndexes() async throws {
        try await withTemporaryFolder { folder in
            let (path, index) = ("\(folder)/state", StateIndex.path(for: "\(folder)/state"))
            var engine = SampleStore.engine(accounts: ["anna", "ben"])
            let lifetime = try engine.purchase("pro.lifetime")
            for _ in 0..<5 { _ = try engine.buy("coins", for: "ben") }
            try write(engine.state, to: path)
            let (file, good) = (try bytes(path), try bytes(index))
            var flipped = good
            flipped[good.count - 20] ^= 1
            try write(SampleStore.state(seed: 9, accounts: ["anna", "ben"]), to: "\(folder)/other")
            let other = try bytes(StateIndex.path(for: "\(folder)/other"))
            func expectComplete(_ comment: String) throws {
                let store = try open(path, for: "anna")
                #expect(store.state == (try StateFile.read(path)), "\(comment)")
                try store.perform { _ = try $0.buy("coins", for: "anna") }
                #expect(try StateFile.read(path) == store.state, "\(comment)")
                #expect(try open(path, for: "anna").state.accounts.map(\.name) == ["anna"], "\(comment)")
            }
            for (name, bytes) in [
                ("missing", nil), ("empty", []), ("short", [UInt8](good.dropLast(1))), ("flipped", flipped),
                ("other", other),
            ] {
                try PrivateFile.replace(path, file)
                try? FileManager.default.removeItem(atPath: index)
                if let bytes { try PrivateFile.replace(index, bytes) }
                try expectComplete(name)
            }
            // Steps of a process that keeps no index.
            func step(_ comment: String, _ body: (inout SimulatorEngine) throws -> Void) throws {
                try PrivateFile.replace(path, file)
                try PrivateFile.replace(index, good)
                let store = try StoreSimulator(
                    configuration: SampleStore.configuration, signer: try #require(SampleStore.signer), file: path,
                    initial: SampleStore.state())
                try store.perform(body)
                try expectComplete(comment)
            }
            try step("a removal") { try $0.delete(lifetime.id) }
            try step("a family") { try $0.setFamily("home", of: "ben") }
            try step("a new account") { try $0.addAccount("carla") }
            try step("nothing left") { $0.clear() }
            // A refund leaves the index usable, and is respected.
            try PrivateFile.replace(path, file)
            try PrivateFile.replace(index, good)
            let store = try StoreSimulator(
                configuration: SampleStore.configuration, signer: try #require(SampleStore.signer), file: path,
                initial: SampleStore.state())
            try store.perform { try $0.refund(lifetime.id) }
            let part = try open(path, for: "anna")
            #expect(part.state.accounts.map(\.name) == ["anna"])
            let answer = try part.perform { try $0.buy("pro.lifetime", for: "anna") }
            if case .bought = answer {} else { Issue.record("\(answer)") }
        }
    }

    @Test("of two processes with a part of the state, the one that is behind fails and changes nothing")
    func twoProcesses() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try write(try longHistory(5), to: path)
            let (first, second) = (try open(path, for: "anna"), try open(path, for: "anna"))
            try first.perform { _ = try $0.buy("coins", for: "anna") }
            let file = try bytes(path)
            #expect(throws: StoreSimulatorError(.changedState, "")) {
                try second.perform { _ = try $0.buy("coins", for: "anna") }
            }
            #expect(try bytes(path) == file)
            // A new complete state makes the index of the old one useless.
            try StateFile.write(try #require(try StateFile.read(path)), to: path)
            #expect(try open(path, for: "anna").state.transactions.count == 6)
        }
    }
}

import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore
@testable import ReceiptVerification

@Suite("Index of what purchases depend on")
struct PurchaseIndexTests {
    /// Opens a state file with an index, as a command that can change anything does.
    private func open(_ path: String) throws -> StoreSimulator {
        let signer = try #require(SampleStore.signer)
        let store = try StoreSimulator(configuration: SampleStore.configuration, signer: signer, existing: path)
        return try #require(store)
    }

    /// Opens a state file for purchases.
    private func open(_ path: String, for account: String?) throws -> StoreSimulator {
        let signer = try #require(SampleStore.signer)
        let store = try StoreSimulator(
            configuration: SampleStore.configuration, signer: signer, forPurchasesOf: account, existing: path)
        return try #require(store)
    }

    /// Writes a state and its index.
    private func write(_ state: SimulatorState, to path: String) throws {
        try StateFile.write(state, to: path)
        let index = try PurchaseIndex(of: state, at: StateFile.content(of: state).place)
        try PrivateFile.replace(PurchaseIndex.path(for: path), try index.content())
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

    @Test("a purchase over the index answers and writes the same as over the complete state", arguments: 1...6)
    func agreement(_ seed: UInt64) async throws {
        let products = SampleStore.configuration.products.map(\.id)
        let offers: [RequestedOffer?] = [
            nil, nil, nil, .promotional(id: "half"), .code(name: "WELCOME"), .code(name: "STACK"),
            .code(name: "RETURN"), .winBack(id: "back"),
        ]
        try await withTemporaryFolder { folder in
            let (path, completePath) = ("\(folder)/state", "\(folder)/complete")
            var customers = try RandomCustomers(seed: seed, customers: 8)
            customers.removesTransactions = true
            var generator = SplitMix64(seed: ~seed)
            var (partCount, boughtCount) = (0, 0)
            for round in 0..<6 {
                try customers.run(days: round % 2 == 0 ? 40 : 3, perMille: 300)
                customers.engine.updateSettings { $0.isAskToBuyEnabled = round == 3 }
                try write(customers.engine.state, to: path)
                for _ in 0..<12 {
                    try PrivateFile.replace(completePath, try bytes(path))
                    let account = try #require(customers.engine.state.accounts.randomElement(using: &generator)).name
                    let product = try #require(products.randomElement(using: &generator))
                    let order = PurchaseOrder(offer: try #require(offers.randomElement(using: &generator)))
                    func buy(_ store: StoreSimulator) -> Result<PurchaseAnswer, StoreSimulatorError> {
                        do {
                            return .success(try store.perform { try $0.buy(product, for: account, order) })
                        } catch {
                            return .failure(error as? StoreSimulatorError ?? .init(.crashed, "\(error)"))
                        }
                    }
                    let (part, complete) = (try open(path, for: account), try open(completePath))
                    if part.state.transactions.count < complete.state.transactions.count { partCount += 1 }
                    let answer = buy(part)
                    #expect(answer == buy(complete), "\(product) for \(account)")
                    #expect(try bytes(path) == bytes(completePath), "\(product) for \(account)")
                    if case .success(.bought) = answer { boughtCount += 1 }
                }
                customers.engine = SimulatorEngine(
                    configuration: SampleStore.configuration, state: try #require(try StateFile.read(path)))
            }
            #expect(partCount > 30, "the index was used only \(partCount) times")
            #expect(boughtCount > 10, "only \(boughtCount) purchases succeeded")
        }
    }

    @Test("an account without --account is the only one, and of several none is chosen")
    func onlyAccount() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try write(try longHistory(3), to: path)
            #expect(try open(path, for: nil).state.transactions.isEmpty)
            try write(SampleStore.state(accounts: ["anna", "ben"]), to: path)
            #expect(try open(path, for: nil).state.accounts.count == 2)
            #expect(try open(path, for: "ben").state.accounts.map(\.name) == ["ben"])
            #expect(try open(path, for: "stranger").state.accounts.count == 2)
        }
    }

    // MARK: Cost

    @Test("a purchase reads no more of a long history than of a short one, however many follow")
    func cost() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try write(try longHistory(2000), to: path)
            let count = try bytes(path).count
            for step in 0..<40 {
                let store = try open(path, for: "anna")
                #expect(store.state.transactions.count < 30, "step \(step)")
                try store.perform { _ = try $0.buy("coins", for: "anna") }
                let index = try #require(PurchaseIndex.read(PurchaseIndex.path(for: path)))
                #expect(try bytes(path).count - index.place.end <= StateLog.indexedChangeCount + 4000)
            }
            #expect(try bytes(path).count > count + 2 * StateLog.indexedChangeCount)
            #expect(try bytes(PurchaseIndex.path(for: path)).count < 5000)
            let state = try #require(try StateFile.read(path))
            #expect(state.transactions.count == 2040 && state.notifications.count == 2040)
        }
    }

    // MARK: Crashes and other processes

    @Test("a process that is killed anywhere in a purchase leaves files from which the next purchase continues")
    func crashes() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try write(try longHistory(3), to: path)
            let before = try (state: bytes(path), index: bytes(PurchaseIndex.path(for: path)))
            try open(path, for: "anna").perform { _ = try $0.buy("pro.lifetime", for: "anna") }
            let after = try bytes(path)
            for count in stride(from: before.state.count, through: after.count, by: 97) + [after.count] {
                let end = [UInt8](after[..<count])
                for file in [end, end + [UInt8](repeating: 0, count: after.count - count)] {
                    for index in [before.index, [], [UInt8](before.index.dropLast(9))] {
                        try PrivateFile.replace(path, file)
                        try PrivateFile.replace(PurchaseIndex.path(for: path), index)
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

    @Test("an index that is missing, damaged or of another file, or from before a removal, is replaced and not used")
    func unusableIndexes() async throws {
        try await withTemporaryFolder { folder in
            let (path, index) = ("\(folder)/state", PurchaseIndex.path(for: "\(folder)/state"))
            var engine = SampleStore.engine(accounts: ["anna", "ben"])
            let lifetime = try engine.purchase("pro.lifetime")
            for _ in 0..<5 { _ = try engine.buy("coins", for: "ben") }
            try write(engine.state, to: path)
            let (file, good) = (try bytes(path), try bytes(index))
            var flipped = good
            flipped[good.count - 20] ^= 1
            try write(SampleStore.state(seed: 9, accounts: ["anna", "ben"]), to: "\(folder)/other")
            let other = try bytes(PurchaseIndex.path(for: "\(folder)/other"))
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

import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore
@testable import ReceiptVerification

@Suite("Changes in state files")
struct StateLogTests {
    private func open(_ path: String, initial: SimulatorState = SampleStore.state()) throws -> StoreSimulator {
        try StoreSimulator(
            configuration: SampleStore.configuration, signer: try #require(SampleStore.signer), file: path,
            initial: initial)
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try #require(FileManager.default.contents(atPath: path)))
    }

    private func identity(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    }

    /// Returns a simulator over a file that is never replaced, and the content of the file after each of three steps.
    private func steps(_ path: String) throws -> (contents: [[UInt8]], states: [SimulatorState]) {
        let store = try open(path)
        var contents = [try bytes(path)]
        var states = [store.state]
        for step in 0..<3 {
            try store.perform { engine in
                _ = try engine.purchase(step == 0 ? "pro.other" : "coins")
                try engine.advance(days: 20)
            }
            contents.append(try bytes(path))
            states.append(store.state)
        }
        for (earlier, later) in zip(contents, contents.dropFirst()) { #expect(later.starts(with: earlier)) }
        return (contents, states)
    }

    // MARK: Cost

    @Test("a purchase writes as many bytes with 20,000 transactions as with 20")
    func costOfPurchase() async throws {
        try await withTemporaryFolder { folder in
            func cost(_ count: Int) throws -> Int {
                var engine = SampleStore.engine()
                for _ in 0..<count { _ = try engine.buy("coins", for: "anna") }
                let path = "\(folder)/state-\(count)"
                let store = try open(path, initial: engine.state)
                let before = try (bytes(path).count, identity(path))
                try store.perform { _ = try $0.buy("coins", for: "anna") }
                #expect(store.state.transactions.count == count + 1)
                #expect(try identity(path) == before.1, "the file was replaced")
                return try bytes(path).count - before.0
            }
            let (small, large) = (try cost(20), try cost(20_000))
            #expect(small > 0)
            #expect(large <= small + 100, "\(large) bytes and not about \(small)")
        }
    }

    @Test("the file is replaced when its changes outweigh the state, so it stays in proportion to the state")
    func replacement() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let store = try open(path)
            var identities: Set<Int> = []
            for step in 0..<200 {
                try store.perform { engine in
                    // Changes that leave the state as large as it is.
                    engine.updateSettings { $0.locale = step.isMultiple(of: 2) ? "de" : "en_US" }
                    _ = try engine.buy("coins", for: "anna")
                    try engine.delete(try #require(engine.state.transactions.last?.id))
                }
                identities.insert(try identity(path))
                #expect(try StateFile.read(path) == store.state)
                let complete = try StateFile.content(of: store.state).bytes.count
                let count = try bytes(path).count
                #expect(count <= 2 * complete + 2 * StateLog.minimumChangeCount, "\(count) for \(complete)")
            }
            #expect(identities.count > 1, "the file was never replaced")
            #expect(identities.count < 20, "the file was replaced \(identities.count) times")
        }
    }

    // MARK: Agreement

    @Test("after each random step, the file has the state of the simulator", arguments: 1...6)
    func randomSteps(_ seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            var customers = try RandomCustomers(seed: seed, customers: 6)
            customers.removesTransactions = true
            let store = try open(path, initial: customers.engine.state)
            for step in 0..<40 {
                let before = store.state
                try customers.run(days: 1, perMille: 700)
                if step == 25 { customers.engine.clear() }
                if step == 35 { customers.engine.reset() }
                if step == 30 { try customers.engine.addAccount("late", family: "family 0") }
                let after = customers.engine
                try store.perform { $0 = after }
                #expect(try StateFile.read(path) == customers.engine.state)
                if let change = StateChange(from: before, to: customers.engine.state) {
                    var applied = before
                    #expect(change.apply(to: &applied))
                    #expect(applied == customers.engine.state)
                }
            }
            #expect(StateChange(from: store.state, to: store.state) == nil)
            #expect(try open(path).state == store.state)
        }
    }

    // MARK: Crashes

    @Test("a file that ends anywhere in a step has the state before the step, and the next step continues from there")
    func unfinishedSteps() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let (contents, states) = try steps(path)
            for step in 1..<contents.count {
                let (earlier, later) = (contents[step - 1], contents[step])
                for count in earlier.count..<later.count {
                    #expect(try StateFile.decode([UInt8](later[..<count])).state == states[step - 1])
                }
                #expect(try StateFile.decode(later).state == states[step])
                // After a power failure, blocks that were never written are zero.
                let zeros = earlier + [UInt8](repeating: 0, count: later.count - earlier.count)
                #expect(try StateFile.decode(zeros).state == states[step - 1])
                let lastBlock = earlier + [UInt8](repeating: 0, count: later.count - earlier.count - 1) + [0x0A]
                #expect(try StateFile.decode(lastBlock).state == states[step - 1])
                for count in [earlier.count, earlier.count + 1, later.count - 1] {
                    try PrivateFile.replace(path, [UInt8](later[..<count]))
                    let store = try open(path)
                    try store.perform { _ = try $0.buy("coins", for: "anna") }
                    #expect(try open(path).state == store.state)
                    #expect(store.state.transactions.count == states[step - 1].transactions.count + 1)
                }
            }
        }
    }

    @Test("a replacement that crashes before it renames leaves the old file, and its remains do not matter")
    func unfinishedReplacement() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let (contents, states) = try steps(path)
            let replacement = try StateFile.content(of: states[3]).bytes
            for count in [0, 1, replacement.count / 2, replacement.count] {
                try PrivateFile.replace("\(path).1.2.tmp", [UInt8](replacement[..<count]))
                #expect(try open(path).state == states[3])
                #expect(try bytes(path) == contents[3])
            }
            try PrivateFile.replace(path, replacement)
            #expect(try open(path).state == states[3])
        }
    }

    @Test("a file with a changed, missing, repeated or exchanged step is rejected")
    func damagedSteps() async throws {
        try await withTemporaryFolder { folder in
            let (contents, _) = try steps("\(folder)/state")
            let file = contents[3]
            let records = (1...3).map { [UInt8](contents[$0][contents[$0 - 1].count...]) }
            let damaged: [[UInt8]] = [
                contents[0] + records[1] + records[2], contents[0] + records[0] + records[2],
                contents[0] + records[1] + records[0], file + records[2], file + [0x0A], file + file,
                contents[0] + records[0].dropLast() + records[1] + records[2],
            ]
            for bytes in damaged { #expect(throws: StoreSimulatorError.self) { try StateFile.decode(bytes) } }
            for index in file.indices.dropLast() where file[index] != 1 {
                var changed = file
                changed[index] ^= 1
                let error = #expect(throws: StoreSimulatorError.self, "byte \(index)") { try StateFile.decode(changed) }
                #expect([.damagedState, .newerState].contains(error?.code))
            }
        }
    }

    @Test("a step that does not follow from the state before it is rejected, even with a matching digest")
    func strangeSteps() throws {
        let changes = [
            #"{"transactions":{"removed":[0]}}"#, #"{"transactions":{"removed":[-1]}}"#,
            #"{"accounts":{"removed":[0,0]}}"#, #"{"accounts":{"removed":[9223372036854775807]}}"#,
            #"{"notifications":{"replaced":[{"at":0}]}}"#, #"{"now":"soon"}"#, "[]", "", "null",
            #"{"transactions":{"deleted":[1]}}"#, #"{"notifications":{"deleted":["x","x"]}}"#,
            #"{"accounts":{"changed":[{"name":"x"}]}}"#,
            #"{"accounts":{"replaced":[{"at":-1,"value":{"name":"x"}}]}}"#, #"{"lastNumber":0}"#,
            String(repeating: "[", count: 100_000),
        ]
        let (base, place) = try StateFile.content(of: SampleStore.state())
        let digest = place.digest
        for change in changes {
            let next = try SHA256Digest.of(bytes: [UInt8](digest.utf8) + [UInt8](change.utf8)).description
            let file = base + [UInt8]("\(next) \(change)\n".utf8)
            let error = #expect(throws: StoreSimulatorError.self, "\(change.prefix(80))") {
                try StateFile.decode(file)
            }
            #expect(error?.code == .damagedState)
        }
        let next = try SHA256Digest.of(bytes: [UInt8](digest.utf8) + [UInt8]("{}".utf8)).description
        #expect(try StateFile.decode(base + [UInt8]("\(next) {}\n".utf8)).state == SampleStore.state())
    }

    // MARK: Other versions and processes

    @Test("a file of version 1 is read, and the next step rewrites it")
    func firstVersion() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            var engine = SampleStore.engine()
            _ = try engine.purchase("pro.other")
            // As version 1 wrote it, without the settings that it did not know.
            let body = String(decoding: try StateJSON.encode(engine.state), as: UTF8.self)
                .replacing(#""gracePeriod":16,"#, with: "").replacing(#","nonRenewingPeriods":{}"#, with: "")
            #expect(!body.contains("gracePeriod\"") && !body.contains("nonRenewing"))
            let digest = try SHA256Digest.of(bytes: [UInt8](body.utf8))
            let old = [UInt8]("local-store-state 1 \(digest)\n\(body)\n".utf8)
            try PrivateFile.replace(path, old)
            #expect(try StateFile.read(path) == engine.state)
            let store = try open(path)
            #expect(try bytes(path) == old)
            try store.perform { _ = try $0.buy("coins", for: "anna") }
            #expect(try bytes(path).starts(with: "local-store-state 3\n".utf8))
            #expect(try open(path).state == store.state)
            let count = try bytes(path).count
            try store.perform { _ = try $0.buy("coins", for: "anna") }
            #expect(try open(path).state == store.state)
            #expect(try bytes(path).count < count + 5000)
        }
    }

    @Test("a file of version 2, whose changes have positions, is read, and the next step rewrites it")
    func secondVersion() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            var engine = SampleStore.engine()
            let first = try engine.purchase("coins")
            let second = try engine.purchase("coins")
            let base = engine.state
            engine.finish(second.id)
            let finished = String(decoding: try StateJSON.encode(engine.state.transactions[1]), as: UTF8.self)
            try engine.delete(first.id)
            var file = "local-store-state 2\n"
            var digest = "local-store-state 2"
            for body in [
                String(decoding: try StateJSON.encode(base), as: UTF8.self),
                #"{"transactions":{"removed":[0],"replaced":[{"at":0,"value":\#(finished)}]}}"#,
            ] {
                digest = try SHA256Digest.of(bytes: [UInt8]((digest + body).utf8)).description
                file += "\(digest) \(body)\n"
            }
            try PrivateFile.replace(path, [UInt8](file.utf8))
            #expect(try StateFile.read(path) == engine.state)
            let store = try open(path)
            try store.perform { _ = try $0.buy("coins", for: "anna") }
            #expect(try bytes(path).starts(with: "local-store-state 3\n".utf8))
            #expect(try open(path).state == store.state)
        }
    }

    @Test("of two simulators over one file, the one that is behind fails and changes nothing")
    func twoSimulators() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let first = try open(path)
            let second = try open(path)
            try first.perform { _ = try $0.buy("coins", for: "anna") }
            let state = first.state
            for _ in 0..<2 {
                #expect(throws: StoreSimulatorError(.changedState, "")) {
                    try second.perform { _ = try $0.buy("template.a", for: "anna") }
                }
            }
            #expect(second.state.transactions.isEmpty)
            #expect(try StateFile.read(path) == state)
            // A replacement by another process is noticed too, even one of the same size.
            try PrivateFile.replace(path, try bytes(path))
            #expect(throws: StoreSimulatorError(.changedState, "")) {
                try first.perform { _ = try $0.buy("coins", for: "anna") }
            }
            #expect(try StateFile.read(path) == state)
            try open(path).perform { _ = try $0.buy("coins", for: "anna") }
            #expect(try StateFile.read(path)?.transactions.count == 2)
        }
    }

    @Test("of many simultaneous writers to one file, each step is saved once or fails")
    func simultaneousWriters() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            _ = try open(path)
            let saved = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var saved = 0
                        for _ in 0..<10 {
                            let store = try open(path)
                            do {
                                try store.perform { _ = try $0.buy("coins", for: "anna") }
                                saved += 1
                            } catch let error as StoreSimulatorError {
                                #expect(error.code == .changedState)
                            }
                        }
                        return saved
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(saved > 0)
            #expect(try StateFile.read(path)?.transactions.count == saved)
        }
    }
}

import Foundation
import PurchaseCore
import ReceiptTypes
import SQLite
import Testing

@testable import LocalStore
@testable import ReceiptVerification

@Suite("State files")
struct StateFileTests {
    private func open(_ path: String, initial: SimulatorState = SampleStore.state()) throws -> StoreSimulator {
        try StoreSimulator(
            configuration: SampleStore.configuration, signer: try #require(SampleStore.signer), file: path,
            initial: initial)
    }

    private func content(_ path: String) throws -> [UInt8] {
        [UInt8](try #require(FileManager.default.contents(atPath: path)))
    }

    private func connection(_ path: String) throws -> StateConnection {
        try StateConnection(path: try SQLiteFiles.location(of: path), busyTimeout: 1_000)
    }

    /// Returns a state with every kind of content.
    private func completeState() throws -> SimulatorState {
        var engine = SampleStore.engine(seed: .max, accounts: ["anna", "caf\u{e9}"]) {
            $0.simulatedErrors = [.purchase: "network", .verification: "unverified"]
            $0.timeRate = TimeRate(rawValue: 11)
            $0.nonRenewingPeriods = ["pro.season": .month]
        }
        try engine.setFamily("home", of: "anna")
        try engine.setFamily("home", of: "caf\u{e9}")
        let token = UUIDText("3f2c7a4e-0f5c-4a7e-9a0e-0d7f6f0c1a2b")
        _ = try engine.buy("coins", for: "anna", PurchaseOrder(quantity: 3, appAccountToken: token))
        let bought = try engine.purchase("pro.basic", for: "anna", .code(name: "STACK"))
        try engine.requestPriceIncrease(bought.id, to: Milliunits(9000))
        try engine.refund(try engine.purchase("pro.lifetime").id, reason: .issue)
        engine.updateSettings { $0.isAskToBuyEnabled = true }
        _ = try engine.buy("pro.plus", for: "caf\u{e9}")
        return engine.state
    }

    @Test("a state survives a round trip through its file, which no other user can read")
    func roundTrip() async throws {
        let state = try completeState()
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            #expect(try StateFile.read(path) == nil)
            for state in [SampleStore.state(), state] {
                try StateFile.write(state, to: path)
                #expect(try StateFile.read(path) == state)
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["state"])
            }
        }
    }

    @Test("a FIFO or a link in the place of a state is an error, for which nothing waits")
    func pipes() async throws {
        try await withTemporaryFolder { folder in
            let state = SampleStore.state()
            let path = "\(folder)/state"
            let result = unsafe mkfifo(path, 0o600)
            try #require(result == 0)
            #expect(throws: StoreSimulatorError(.unreadableState, "")) { try StateFile.read(path) }
            #expect(throws: FileError.self) { try PrivateFile.read(path, maximumCount: 1_000) }
            try FileManager.default.removeItem(atPath: path)
            try StateFile.write(state, to: "\(folder)/other")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder)/other")
            #expect(throws: StoreSimulatorError(.unreadableState, "")) { try StateFile.read(path) }
            try FileManager.default.removeItem(atPath: path)
            try StateFile.write(state, to: path)
            #expect(try StateFile.read(path) == state)
        }
    }

    // MARK: Damage

    @Test("a file with any byte changed is rejected, or has the same state")
    func damagedFiles() async throws {
        try await withTemporaryFolder { folder in
            let (path, state) = ("\(folder)/state", try completeState())
            try StateFile.write(state, to: path)
            let bytes = try content(path)
            var rejected = 0
            for index in Array(bytes.indices.prefix(100)) + stride(from: 100, to: bytes.count, by: 61) {
                var changed = bytes
                changed[index] ^= 1 << UInt8(index % 8)
                try PrivateFile.replace(path, changed)
                do throws(StoreSimulatorError) {
                    #expect(try StateFile.read(path) == state, "byte \(index)")
                } catch {
                    #expect([.damagedState, .newerState, .unreadableState].contains(error.code), "byte \(index)")
                    rejected += 1
                }
            }
            #expect(rejected > 100)
            for count in stride(from: 0, to: bytes.count, by: 509) {
                try PrivateFile.replace(path, [UInt8](bytes[..<count]))
                #expect(throws: StoreSimulatorError.self) { try StateFile.read(path) }
            }
        }
    }

    @Test(
        "a state of which another program has changed, deleted, added or exchanged a row is rejected",
        arguments: [
            "UPDATE transactions SET body = replace(body, '990', '991')", "UPDATE transactions SET is_needed = 0",
            "UPDATE transactions SET account = 'x'", "UPDATE transactions SET number = number + 1",
            "DELETE FROM transactions WHERE number = (SELECT max(number) FROM transactions)",
            "DELETE FROM notifications WHERE place = 1", "DELETE FROM state", "DELETE FROM subscriptions",
            "UPDATE subscriptions SET body = (SELECT body FROM accounts LIMIT 1)",
            "UPDATE accounts SET household = 7", "UPDATE households SET due = 1", "UPDATE state SET step = 9",
            "INSERT INTO notifications SELECT place + 1000, body, digest FROM notifications", "DROP TABLE pending",
            "INSERT INTO accounts SELECT 9, 'eve', household, body, digest FROM accounts WHERE place = 0",
        ])
    func editedRows(_ change: String) async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try StateFile.write(try completeState(), to: path)
            try connection(path).execute(change)
            let before = try content(path)
            let error = #expect(throws: StoreSimulatorError.self) { try open(path) }
            #expect(error?.code == .damagedState)
            #expect(try content(path) == before)
        }
    }

    @Test("an edited row with a matching digest is rejected, or is of a state that no command can crash on")
    func editedBodies() async throws {
        try await withTemporaryFolder { folder in
            let (path, state) = ("\(folder)/state", try completeState())
            var generator = SplitMix64(seed: 5)
            var accepted = 0
            let tables = [
                StateDatabase.values, StateDatabase.accounts, StateDatabase.transactions, StateDatabase.subscriptions,
                StateDatabase.pending,
            ]
            for round in 0..<150 {
                try StateFile.write(state, to: path)
                do {
                    let connection = try connection(path)
                    let table = tables[round % tables.count]
                    var row = try #require(try table.rows("ORDER BY 1 DESC", in: connection).first)
                    guard case .text(let body) = row[row.count - 1] else { return }
                    var changed = [UInt8](body.utf8)
                    for _ in 0...generator.below(2) {
                        let index = Int(generator.below(UInt64(changed.count)))
                        let digits = [UInt8]("0123456789-\"x,{}[]".utf8)
                        changed[index] = digits[Int(generator.below(UInt64(digits.count)))]
                    }
                    row[row.count - 1] = .text(String(decoding: changed, as: UTF8.self))
                    try table.put(row, in: connection)
                }
                guard let state = try? StateFile.read(path) else { continue }
                accepted += 1
                runCommands(on: state)
            }
            #expect(accepted > 10, "only \(accepted) were read at all")
        }
    }

    private func runCommands(on state: SimulatorState) {
        var engine = SimulatorEngine(configuration: SampleStore.configuration, state: state)
        engine.eventLimit = 200
        engine.updateSettings { $0.isAskToBuyEnabled = false }
        for transaction in state.transactions {
            try? engine.reverseRefund(transaction.id)
            try? engine.renew(transaction.id)
            try? engine.setBillingIssue(true, transaction.id)
            try? engine.refund(transaction.id)
        }
        for account in state.accounts {
            _ = try? engine.buy("pro.plus", for: account.name)
            _ = try? engine.buy("coins", for: account.name)
            _ = engine.currentEntitlements(of: account.name)
        }
        for purchase in state.pending { _ = try? engine.approve(purchase.id) }
        try? engine.advance(byMilliseconds: 100 * SampleStore.day)
        try? engine.advance(to: .maximum)
        for transaction in engine.state.transactions.suffix(20) { _ = engine.payload(of: transaction) }
        for subscription in engine.state.subscriptions { _ = engine.payload(of: subscription) }
    }

    @Test("deep, large and empty contents are rejected, even with a matching digest")
    func strangeBodies() async throws {
        let bodies = [
            String(repeating: "[", count: 200_000), String(repeating: "{\"a\":", count: 100_000), "", "null", "{}",
            "{\"seed\":1e999}", "\u{0}", String(repeating: "9", count: 100_000),
        ]
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            try StateFile.write(SampleStore.state(), to: path)
            for body in bodies {
                try StateDatabase.values.put([.integer(1), .integer(1), .text(body)], in: connection(path))
                let error = #expect(throws: StoreSimulatorError.self) { try StateFile.read(path) }
                #expect(error?.code == .damagedState)
            }
        }
    }

    @Test("states that no engine produces are rejected, with the reason")
    func inconsistentStates() async throws {
        try await withTemporaryFolder { folder in try expectInconsistencies("\(folder)/state") }
    }

    private func expectInconsistencies(_ path: String) throws {
        func expectInconsistency(_ change: (inout SimulatorState) -> Void) throws {
            var state = try completeState()
            #expect(state.inconsistency == nil)
            change(&state)
            #expect(state.inconsistency != nil)
            let error = #expect(throws: StoreSimulatorError.self) {
                try StateFile.write(state, to: path)
                return try StateFile.read(path)
            }
            #expect(error?.code == .damagedState)
        }
        try expectInconsistency { $0.accounts.append($0.accounts[0]) }
        // Names are compared as bytes: two spellings of one word are two names.
        #expect(SampleStore.state(accounts: ["caf\u{e9}", "cafe\u{301}"]).accounts.count == 2)
        #expect(SampleStore.state(accounts: ["caf\u{e9}", "cafe\u{301}"]).inconsistency == nil)
        try expectInconsistency { $0.transactions.append($0.transactions[0]) }
        try expectInconsistency { $0.lastNumber = 1 }
        try expectInconsistency { $0.lastLineItem = -1 }
        try expectInconsistency { $0.subscriptions.append($0.subscriptions[0]) }
        try expectInconsistency { $0.subscriptions[0].latestNumber = 7 }
        try expectInconsistency { $0.subscriptions[0].standing = .gracePeriod }
        try expectInconsistency { $0.subscriptions[0].standing = .billingRetry }
        try expectInconsistency { $0.subscriptions[0].anchoredPeriods = -1 }
        try expectInconsistency { $0.subscriptions[0].upcomingOffers[0].remainingTransactions = 0 }
        try expectInconsistency { $0.pending.append($0.pending[0]) }
    }

    @Test("a damaged, newer or too permissive file, or one of another program, is never overwritten")
    func neverOverwritten() async throws {
        let changes: [(String?, StoreSimulatorError.Code)] = [
            ("PRAGMA user_version = 2", .newerState), ("PRAGMA user_version = 0", .damagedState),
            ("PRAGMA application_id = 7", .damagedState), ("DELETE FROM state", .damagedState),
        ]
        let files: [[UInt8]] = [[], [0x78], [UInt8]("{}".utf8), [UInt8](repeating: 0x20, count: 8_192)]
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            func expectRejection(_ code: StoreSimulatorError.Code) throws {
                let bytes = try content(path)
                let error = #expect(throws: StoreSimulatorError.self) { try open(path) }
                #expect(error?.code == code)
                #expect(try content(path) == bytes)
            }
            for (change, code) in changes {
                try StateFile.write(SampleStore.state(), to: path)
                if let change { try connection(path).execute(change) }
                try expectRejection(code)
            }
            for bytes in files {
                try PrivateFile.replace(path, bytes)
                try expectRejection(.damagedState)
            }
            try StateFile.write(SampleStore.state(), to: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            try expectRejection(.unreadableState)
            #expect(throws: StoreSimulatorError(.unwritableState, "")) {
                try StateFile.write(SampleStore.state(), to: "\(folder)/none/state")
            }
        }
    }

    // MARK: Steps

    @Test("a simulator continues from its file, and a step that cannot be saved has no effect")
    func continuesFromFile() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/inner/state"
            try FileManager.default.createDirectory(atPath: "\(folder)/inner", withIntermediateDirectories: true)
            let signer = try #require(SampleStore.signer)
            func open() throws -> StoreSimulator {
                try StoreSimulator(
                    configuration: SampleStore.configuration, signer: signer, file: path, initial: SampleStore.state())
            }
            let first = try open()
            let bought = try first.perform { try $0.purchase("pro.other") }
            let second = try open()
            #expect(second.state == first.state)
            try second.perform { try $0.advance(days: 31) }
            #expect(try open().state.transactions.count == 2)
            // Writing fails in a missing folder, also for root.
            try FileManager.default.removeItem(atPath: "\(folder)/inner")
            #expect(throws: StoreSimulatorError(.unwritableState, "")) {
                try second.perform { try $0.refund(bought.id) }
            }
            #expect(second.state.transaction(bought.id)?.isRevoked == false)
        }
    }

    @Test("a purchase writes about as many bytes with 20,000 transactions as with 20")
    func costOfPurchase() async throws {
        try await withTemporaryFolder { folder in
            func cost(_ count: Int) throws -> Int {
                var engine = SampleStore.engine()
                for _ in 0..<count { _ = try engine.buy("coins", for: "anna") }
                let path = "\(folder)/state-\(count)"
                let store = try open(path, initial: engine.state)
                // A connection that keeps the log.
                let reader = try connection(path)
                try reader.execute("BEGIN")
                _ = try reader.first("SELECT step FROM state") { (row) throws(StoreSimulatorError) in try row.integer(0)
                }
                try store.perform { _ = try $0.buy("coins", for: "anna") }
                #expect(store.state.transactions.count == count + 1)
                return try content(path + SQLiteFiles.log).count
            }
            let (small, large) = (try cost(20), try cost(20_000))
            #expect(small > 0)
            #expect(large <= 2 * small, "\(large) bytes and not about \(small)")
        }
    }

    @Test("after each random step, the file has the state of the simulator", arguments: 1...6)
    func randomSteps(_ seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            var customers = try RandomCustomers(seed: seed, customers: 6)
            customers.removesTransactions = true
            let store = try open(path, initial: customers.engine.state)
            for step in 0..<40 {
                try customers.run(days: 1, perMille: 700)
                if step == 25 { customers.engine.clear() }
                if step == 35 { customers.engine.reset() }
                if step == 30 { try customers.engine.addAccount("late", family: "family 0") }
                let after = customers.engine
                try store.perform { $0 = after }
                #expect(try StateFile.read(path) == customers.engine.state)
            }
            #expect(try open(path).state == store.state)
        }
    }

    // MARK: Crashes

    @Test("a log that ends anywhere in a step has the state before or after it, and the next step continues from there")
    func unfinishedSteps() async throws {
        try await withTemporaryFolder { folder in
            let (path, copy) = ("\(folder)/state", "\(folder)/copy")
            let store = try open(path)
            let reader = try connection(path)
            try reader.execute("BEGIN")
            _ = try reader.first("SELECT step FROM state") { (row) throws(StoreSimulatorError) in try row.integer(0) }
            var states = [store.state]
            var sizes = [0]
            for step in 0..<3 {
                try store.perform { engine in
                    _ = try engine.purchase(step == 0 ? "pro.other" : "coins")
                    try engine.advance(days: 20)
                }
                states.append(store.state)
                sizes.append(try content(path + SQLiteFiles.log).count)
            }
            let (file, log) = (try content(path), try content(path + SQLiteFiles.log))
            for count in Array(stride(from: 0, through: log.count, by: 1_031)) + sizes {
                for end in [[UInt8](log[..<count]), log[..<count] + [UInt8](repeating: 0, count: log.count - count)] {
                    for suffix in SQLiteFiles.suffixes { try? FileManager.default.removeItem(atPath: copy + suffix) }
                    try PrivateFile.replace(copy, file)
                    try PrivateFile.replace(copy + SQLiteFiles.log, end)
                    let step = sizes.lastIndex { $0 <= count } ?? 0
                    #expect(try StateFile.read(copy) == states[step], "\(count)")
                    let continued = try open(copy)
                    try continued.perform { _ = try $0.buy("coins", for: "anna") }
                    #expect(try StateFile.read(copy) == continued.state)
                    #expect(continued.state.transactions.count == states[step].transactions.count + 1)
                }
            }
        }
    }

    @Test("what a killed process leaves beside a file does not belong to the file that replaces it")
    func remainsOfAnotherFile() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let store = try open(path)
            let reader = try connection(path)
            try reader.execute("BEGIN")
            _ = try reader.first("SELECT step FROM state") { (row) throws(StoreSimulatorError) in try row.integer(0) }
            try store.perform { _ = try $0.buy("coins", for: "anna") }
            #expect(try !content(path + SQLiteFiles.log).isEmpty)
            try StateFile.write(SampleStore.state(seed: 2), to: path)
            #expect(try StateFile.read(path) == SampleStore.state(seed: 2))
            #expect(throws: StoreSimulatorError(.changedState, "")) {
                try store.perform { _ = try $0.buy("coins", for: "anna") }
            }
            try reader.execute("COMMIT")
            #expect(try StateFile.read(path) == SampleStore.state(seed: 2))
        }
    }

    // MARK: Other processes

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
            try PrivateFile.replace(path, try content(path))
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

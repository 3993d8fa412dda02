import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore
@testable import ReceiptVerification

@Suite("State files")
struct StateFileTests {
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

    @Test("a state survives a round trip through its file, and equal states have equal bytes")
    func roundTrip() async throws {
        let state = try completeState()
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            #expect(try StateFile.read(path) == nil)
            try StateFile.write(state, to: path)
            #expect(try StateFile.read(path) == state)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            let bytes = FileManager.default.contents(atPath: path)
            try StateFile.write(state, to: path)
            #expect(FileManager.default.contents(atPath: path) == bytes)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["state"])
        }
    }

    @Test("a FIFO in the place of a state, of its index or of a key is an error, for which nothing waits")
    func pipes() async throws {
        try await withTemporaryFolder { folder in
            let state = SampleStore.state()
            let path = "\(folder)/state"
            let result = unsafe mkfifo(path, 0o600)
            try #require(result == 0)
            #expect(throws: StoreSimulatorError.self) { try StateFile.read(path) }
            #expect(StateIndex.read(path) == nil)
            #expect(throws: FileError.self) { try PrivateFile.read(path, maximumCount: 1_000) }
            #expect(throws: FileError.self) { try AppendedFile.read(path, maximumCount: 1_000) }
            try FileManager.default.removeItem(atPath: path)
            try StateFile.write(state, to: path)
            #expect(try StateFile.read(path) == state)
        }
    }

    @Test("a file with any byte changed, or truncated at any length, is rejected")
    func damagedFiles() throws {
        let bytes = try StateFile.content(of: SampleStore.state()).bytes
        #expect(try StateFile.decode(bytes).state == SampleStore.state())
        for index in bytes.indices {
            for bit in [0, 3, 7] {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                let error = #expect(throws: StoreSimulatorError.self) { try StateFile.decode(changed) }
                #expect([.damagedState, .newerState].contains(error?.code))
            }
            #expect(throws: StoreSimulatorError.self) { try StateFile.decode([UInt8](bytes[..<index])) }
        }
        #expect(throws: StoreSimulatorError.self) { try StateFile.decode(bytes + [0x0A]) }
    }

    @Test("an edited file with a matching digest is rejected, or is a state that no command can crash on")
    func editedFiles() throws {
        let body = try StateJSON.encode(try completeState())
        var generator = SplitMix64(seed: 5)
        var accepted = 0
        for _ in 0..<150 {
            var changed = body
            for _ in 0...generator.below(2) {
                let index = Int(generator.below(UInt64(changed.count)))
                let digits = [UInt8]("0123456789-\"x,{}[]".utf8)
                changed[index] = digits[Int(generator.below(UInt64(digits.count)))]
            }
            let digest = try SHA256Digest.of(bytes: changed)
            let file = [UInt8]("local-store-state 1 \(digest)\n".utf8) + changed + [0x0A]
            guard let state = try? StateFile.decode(file).state else { continue }
            accepted += 1
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
        #expect(accepted > 10, "only \(accepted) were read at all")
    }

    @Test("deep, large and empty contents are rejected, even with a matching digest")
    func strangeBodies() throws {
        let bodies = [
            String(repeating: "[", count: 200_000), String(repeating: "{\"a\":", count: 100_000), "", "null", "{}",
            "{\"seed\":1e999}", "\u{0}", String(repeating: "9", count: 100_000),
        ]
        for body in bodies {
            let bytes = [UInt8](body.utf8)
            let file = [UInt8]("local-store-state 1 \(try SHA256Digest.of(bytes: bytes))\n".utf8) + bytes + [0x0A]
            let error = #expect(throws: StoreSimulatorError.self) { try StateFile.decode(file) }
            #expect(error?.code == .damagedState)
        }
    }

    @Test("states that no engine produces are rejected, with the reason")
    func inconsistentStates() throws {
        func expectInconsistency(_ change: (inout SimulatorState) -> Void) throws {
            var state = try completeState()
            #expect(state.inconsistency == nil)
            change(&state)
            #expect(state.inconsistency != nil)
            let error = #expect(throws: StoreSimulatorError.self) {
                try StateFile.decode(try StateFile.content(of: state).bytes)
            }
            #expect(error?.code == .damagedState)
        }
        try expectInconsistency { $0.accounts.append($0.accounts[0]) }
        // Names are compared as bytes: two spellings of one word are two names.
        #expect(SampleStore.state(accounts: ["caf\u{e9}", "cafe\u{301}"]).accounts.count == 2)
        #expect(SampleStore.state(accounts: ["caf\u{e9}", "cafe\u{301}"]).inconsistency == nil)
        try expectInconsistency { $0.transactions.swapAt(0, 1) }
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

    @Test("a damaged, newer or too permissive file is never overwritten")
    func neverOverwritten() async throws {
        let good = try StateFile.content(of: SampleStore.state()).bytes
        let newer = [UInt8](String(decoding: good, as: UTF8.self).replacing("state 3\n", with: "state 4\n").utf8)
        let files: [([UInt8], StoreSimulatorError.Code)] = [
            (newer, .newerState), ([], .damagedState), ([UInt8]("{}".utf8), .damagedState),
            ([UInt8](repeating: 0x20, count: 1000), .damagedState), ([UInt8](good.dropLast(9)), .damagedState),
            ([UInt8]("local-store-state 99999999999999999999 x\n".utf8), .damagedState),
            ([UInt8]("local-store-state 0 x\n{}\n".utf8), .damagedState),
            ([UInt8]("local-store-state 1\n{}\n".utf8), .damagedState),
            ([UInt8]("local-store-state 2 x\n{}\n".utf8), .damagedState),
            ([UInt8]("local-store-state 3 x\n{}\n".utf8), .damagedState),
            ([UInt8]("local-store-state 3\n".utf8), .damagedState),
        ]
        try await withTemporaryFolder { folder in
            let path = "\(folder)/state"
            let signer = try #require(SampleStore.signer)
            for (bytes, code) in files {
                try PrivateFile.replace(path, bytes)
                let error = #expect(throws: StoreSimulatorError.self) {
                    try StoreSimulator(
                        configuration: SampleStore.configuration, signer: signer, file: path,
                        initial: SampleStore.state())
                }
                #expect(error?.code == code)
                #expect(FileManager.default.contents(atPath: path) == Data(bytes))
            }
            try PrivateFile.replace(path, good)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let error = #expect(throws: StoreSimulatorError.self) { try StateFile.read(path) }
            #expect(error?.code == .unreadableState)
            #expect(throws: StoreSimulatorError(.unwritableState, "")) {
                try StateFile.write(SampleStore.state(), to: "\(folder)/none/state")
            }
        }
    }

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
}

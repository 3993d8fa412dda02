import Dispatch
import LocalStore
import PurchaseCore
import PurchaseSimulation
import PurchaseStorage
import ReceiptTypes
import ReceiptVerification
import Testing

@testable import PurchaseAssembly

/// A storage in memory whose calls can wait for a test, and can fail.
private final class TestStorage: VerificationKeyStorage {
    struct State {
        var stored: [UInt8]?
        var loads = 0
        var saves = 0
        var fails = false
        /// Whether a save has waited longer than any test.
        var hasGivenUp = false
    }

    let state = Locked(State())
    private let gate: DispatchSemaphore?

    /// - Parameter isBlocked: Whether each save waits for a call of ``release()``.
    init(isBlocked: Bool = false) {
        gate = isBlocked ? DispatchSemaphore(value: 0) : nil
    }

    func release() { gate?.signal() }

    func load() throws(KeyCacheWarning) -> [UInt8]? {
        state.withLock { state in
            state.loads += 1
            return state.stored
        }
    }

    func save(_ sealed: [UInt8]) throws(KeyCacheWarning) {
        if let gate, gate.wait(timeout: .now() + 20) == .timedOut { state.withLock { $0.hasGivenUp = true } }
        let fails = state.withLock { state in
            state.saves += 1
            if !state.fails { state.stored = sealed }
            return state.fails
        }
        if fails { throw KeyCacheWarning(code: .unwritable, detail: "the disk is full") }
    }
}

@Suite("Kept verification keys", .timeLimit(.minutes(15)))
@MainActor
struct KeptVerificationKeysTests {
    private let app: TestApp
    private let cache = VerificationKeyCache()
    private let sealingKey: SealingKey
    private let jws: String

    init() throws {
        app = try TestApp()
        sealingKey = try SealingKey.random()
        let simulator = app.simulator
        try simulator.perform { engine in _ = try engine.buy("notes.export", for: "customer") }
        let bought = try #require(simulator.state.transactions.first)
        jws = try simulator.signedTransaction(bought.id)
    }

    private func keys(_ storage: TestStorage, _ cache: VerificationKeyCache? = nil) -> KeptVerificationKeys {
        KeptVerificationKeys(cache ?? self.cache, storage, sealingKey: sealingKey, log: app.log) {}
    }

    private func verifier(_ keys: KeptVerificationKeys, _ cache: VerificationKeyCache? = nil) -> KeyKeepingVerifier {
        let simulator = app.simulator
        let base = ReceiptVerifier(
            policy: simulator.receiptVerifier.policy, trustAnchors: simulator.signer.trustAnchors,
            keyCache: cache ?? self.cache, clock: simulator.clock)
        return KeyKeepingVerifier(base: base, keys: keys)
    }

    @Test("A verdict does not wait for a storage that is locked, and the key is stored afterwards")
    func lockedStorage() async throws {
        let storage = TestStorage(isBlocked: true)
        let keys = keys(storage)
        let verdict = await verifier(keys).verifyTransaction(jws, at: app.simulator.clock())
        #expect(verdict.verifiedPayload != nil)
        #expect(storage.state.withLock(\.saves) == 0)
        storage.release()
        await keys.flush()
        #expect(storage.state.withLock(\.saves) == 1)
        #expect(!storage.state.withLock(\.hasGivenUp))
        let next = VerificationKeyCache()
        #expect(next.load(from: storage, sealingKey: sealingKey) == nil)
        #expect(Set(next.keys) == Set(cache.keys) && !next.keys.isEmpty)
    }

    @Test("Nothing is read at launch, and the stored keys are read once, before the first verdict")
    func readLate() async throws {
        let storage = TestStorage()
        let first = keys(storage)
        _ = await verifier(first).verifyTransaction(jws, at: app.simulator.clock())
        await first.flush()
        #expect(storage.state.withLock { ($0.loads, $0.saves) } == (1, 1))
        let next = VerificationKeyCache()
        let keys = keys(storage, next)
        #expect(storage.state.withLock(\.loads) == 1)
        async let one = verifier(keys, next).verifyTransaction(jws, at: app.simulator.clock())
        async let two = verifier(keys, next).verifyTransaction(jws, at: app.simulator.clock())
        #expect(await one.verifiedPayload != nil)
        #expect(await two.verifiedPayload != nil)
        await keys.flush()
        // A key that was found by the chain would be stored again.
        #expect(storage.state.withLock { ($0.loads, $0.saves) } == (2, 1))
    }

    @Test("Keys of receipts that were verified elsewhere are stored beside the stored ones")
    func flushedFirst() async throws {
        let storage = TestStorage()
        let first = keys(storage)
        _ = await verifier(first).verifyTransaction(jws, at: app.simulator.clock())
        await first.flush()
        let stored = storage.state.withLock(\.stored)
        let next = keys(storage, VerificationKeyCache())
        await next.flush()
        #expect(storage.state.withLock(\.stored) == stored)
    }

    @Test("A storage that fails is not asked again for each verification, and once more at the end")
    func failingStorage() async throws {
        let storage = TestStorage()
        storage.state.withLock { $0.fails = true }
        let keys = keys(storage)
        let verifier = verifier(keys)
        for _ in 0..<200 { _ = await verifier.verifyTransaction(jws, at: app.simulator.clock()) }
        await app.log.has(.storageFailed)
        for _ in 0..<200 { _ = await verifier.verifyTransaction(jws, at: app.simulator.clock()) }
        #expect(storage.state.withLock(\.saves) == 1)
        storage.state.withLock { $0.fails = false }
        await keys.flush()
        #expect(storage.state.withLock(\.saves) == 2)
        #expect(storage.state.withLock(\.stored) != nil)
        #expect(app.log.count(.storageFailed) == 1)
    }

    @Test("Keys are stored after another process has rotated the key of the sealed store [OTP-9.3]")
    func rotation() async throws {
        let files = try await app.openFiles()
        let keys = KeptVerificationKeys(cache, files, log: app.log)
        try await app.openFiles().secrets.rotateKey()
        _ = await verifier(keys).verifyTransaction(jws, at: app.simulator.clock())
        await keys.flush()
        #expect(try await app.openFiles().secrets.names().contains("verification-keys"))
        #expect(app.log.count(.storageFailed) == 0)
    }

    @Test("Removed keys are stored again when they are found again")
    func removed() async throws {
        let files = try await app.openFiles()
        let keys = KeptVerificationKeys(cache, files, log: app.log)
        for _ in 0..<2 {
            _ = await verifier(keys).verifyTransaction(jws, at: app.simulator.clock())
            await keys.flush()
            #expect(try await files.secrets.names().contains("verification-keys"))
            try await keys.removeAll(from: files.secrets)
            #expect(try await !files.secrets.names().contains("verification-keys"))
        }
    }
}

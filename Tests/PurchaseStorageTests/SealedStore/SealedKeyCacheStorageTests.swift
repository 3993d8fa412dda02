import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import ReceiptVerification
import Testing

@testable import PurchaseStorage

@Suite("Key cache in a sealed store")
struct SealedKeyCacheStorageTests {
    /// An authority with the receipts that it signs.
    private struct Signed {
        let authority: TestAuthority
        let now: Timestamp

        init() throws {
            authority = try TestAuthority()
            now = try #require(Timestamp(milliseconds: 1_760_000_001_000))
        }

        func jws(_ number: Int) throws -> String {
            var transaction = JWSTransactionDecodedPayload()
            transaction.transactionId = String(number)
            transaction.originalTransactionId = String(number)
            transaction.bundleId = "com.example.app"
            transaction.productId = "com.example.app.pro"
            transaction.type = .nonConsumable
            transaction.signedDate = now
            transaction.environment = .sandbox
            return try authority.signer.sign(transaction)
        }

        func verifier(_ cache: VerificationKeyCache) throws -> ReceiptVerifier {
            var anchors = TrustAnchors()
            try anchors.add(authority.rootCertificate)
            return ReceiptVerifier(policy: .init(), trustAnchors: anchors, keyCache: cache, clock: { now })
        }
    }

    @Test("[OTP-9.3] [OTP-7.6] after a restart, the cache in the store verifies receipts without a chain validation")
    func reopened() async throws {
        let (fixture, signed) = (try SealedStoreFixture(), try Signed())
        let first = VerificationKeyCache()
        let storage = try await fixture.open().keyCacheStorage()
        #expect(first.load(from: storage, sealingKey: storage.sealingKey) == nil)
        #expect(try signed.verifier(first).verifyTransaction(try signed.jws(1)).verifiedPayload != nil)
        #expect(first.statistics.chainValidations == 1)
        try first.save(to: storage, sealingKey: storage.sealingKey)

        // A process that is offline: it has the folder and the key file only.
        let second = VerificationKeyCache()
        let reopened = try await fixture.open().keyCacheStorage()
        #expect(second.load(from: reopened, sealingKey: reopened.sealingKey) == nil)
        #expect(try signed.verifier(second).verifyTransaction(try signed.jws(2)).verifiedPayload != nil)
        #expect(second.statistics.chainValidations == 0)
        #expect(second.statistics.hits == 1)
        for (path, bytes) in try fixture.files() {
            #expect(Data(bytes).range(of: Data("publicKey".utf8)) == nil, "\(path)")
        }
    }

    @Test("[OTP-9.3] a rotation of the store keeps the cache, and the removal of all values empties it")
    func rotationAndRemoval() async throws {
        let (fixture, signed) = (try SealedStoreFixture(), try Signed())
        let store = try fixture.open()
        let storage = try await store.keyCacheStorage()
        let cache = VerificationKeyCache()
        _ = try signed.verifier(cache).verifyTransaction(try signed.jws(1))
        try cache.save(to: storage, sealingKey: storage.sealingKey)
        try await store.rotateKey()
        try cache.save(to: storage, sealingKey: storage.sealingKey)
        let loaded = VerificationKeyCache()
        #expect(loaded.load(from: storage, sealingKey: storage.sealingKey) == nil)
        #expect(loaded.keys.count == 1)
        try await store.removeAll()
        let empty = VerificationKeyCache()
        #expect(empty.load(from: storage, sealingKey: storage.sealingKey) == nil)
        #expect(empty.keys.isEmpty)
    }

    @Test("a cache that was changed, or whose key another process has rotated, is ignored with a warning")
    func warnings() async throws {
        let (fixture, signed) = (try SealedStoreFixture(), try Signed())
        let store = try fixture.open()
        let storage = try await store.keyCacheStorage()
        let cache = VerificationKeyCache()
        _ = try signed.verifier(cache).verifyTransaction(try signed.jws(1))
        try cache.save(to: storage, sealingKey: storage.sealingKey)
        try await fixture.open().rotateKey()
        #expect(cache.load(from: storage, sealingKey: storage.sealingKey)?.code == .key)
        #expect(throws: KeyCacheWarning.self) { try cache.save(to: storage, sealingKey: storage.sealingKey) }
        // The next use of the store asks for the new key.
        _ = try await store.names()
        #expect(cache.load(from: storage, sealingKey: storage.sealingKey) == nil)
        let path = try #require(try fixture.files(in: ["secrets"]).max { $0.value.count < $1.value.count }?.key)
        try fixture.write([], to: path)
        let loaded = VerificationKeyCache()
        #expect(loaded.load(from: storage, sealingKey: storage.sealingKey)?.code == .damaged)
        #expect(loaded.keys.isEmpty)
        #expect(try signed.verifier(loaded).verifyTransaction(try signed.jws(3)).verifiedPayload != nil)
        try loaded.save(to: storage, sealingKey: storage.sealingKey)
        #expect(VerificationKeyCache().load(from: storage, sealingKey: storage.sealingKey) == nil)
    }
}

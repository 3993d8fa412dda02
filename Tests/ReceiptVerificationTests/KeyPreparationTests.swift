import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Key preparation")
struct KeyPreparationTests {
    /// Whether this build can compute tables.
    private static let hasTables: Bool = {
        guard let key = try? PrivateKey(generating: .p256).publicKey(),
            let place = PreparedKeyBudget(capacity: 1).take()
        else { return false }
        return (try? PreparedKey(key, in: place)) ?? nil != nil
    }()

    @Test("a key gets its table when it reaches the threshold of valid signatures, and not before")
    func threshold() throws {
        let cache = VerificationKeyCache(preparationThreshold: 4)
        let verifier = try Fixture.verifier(keyCache: cache)
        // The first receipt adds the key to the cache; only later ones count.
        for number in 1...4 { #expect(verifier.verifyTransaction(try Fixture.jws(number)).isVerified) }
        #expect(cache.statistics.preparedKeys == 0)
        #expect(verifier.verifyTransaction(try Fixture.jws(5)).isVerified)
        #expect(cache.statistics.preparedKeys == (Self.hasTables ? 1 : 0))
        #expect(verifier.verifyTransaction(try Fixture.jws(6)).isVerified)
        let damaged = String(try Fixture.jws(7).dropLast(2)) + "AA"
        #expect(!verifier.verifyTransaction(damaged).isVerified)
    }

    @Test("invalid signatures do not count towards the threshold")
    func invalidSignaturesDoNotCount() throws {
        let cache = VerificationKeyCache(preparationThreshold: 3)
        let verifier = try Fixture.verifier(keyCache: cache)
        #expect(verifier.verifyTransaction(try Fixture.jws(1)).isVerified)
        for number in 2...20 {
            let damaged = String(try Fixture.jws(number).dropLast(6)) + "AAAAAA"
            #expect(!verifier.verifyTransaction(damaged).isVerified)
        }
        #expect(cache.statistics.preparedKeys == 0)
    }

    @Test("the number of tables is bounded, and removing a key removes its table")
    func tablesAreBounded() throws {
        let authority = try #require(Fixture.authority)
        let cache = VerificationKeyCache(capacity: 8, preparationThreshold: 1, preparedKeyCapacity: 2)
        let verifier = try Fixture.verifier(keyCache: cache)
        for _ in 0..<4 {
            let signer = try authority.makeSigner()
            for number in 1...3 { #expect(verifier.verifyTransaction(try Fixture.jws(number, by: signer)).isVerified) }
        }
        #expect(cache.statistics.preparedKeys == (Self.hasTables ? 2 : 0))
        cache.removeAll()
        #expect(cache.statistics.preparedKeys == 0)
    }

    @Test("a key that several threads use at once is prepared once")
    func manyThreads() async throws {
        let cache = VerificationKeyCache(preparationThreshold: 2)
        let verifier = try Fixture.verifier(keyCache: cache)
        let receipts = try (1...24).map { try Fixture.jws($0) }
        let verdicts = await withTaskGroup(of: [Bool].self) { group in
            for _ in 0..<4 {
                group.addTask { receipts.map { verifier.verifyTransaction($0).isVerified } }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(verdicts.count == 96 && verdicts.allSatisfy { $0 })
        #expect(cache.statistics.preparedKeys == (Self.hasTables ? 1 : 0))
    }
}

extension VerificationResult {
    fileprivate var isVerified: Bool {
        if case .verified = self { true } else { false }
    }
}

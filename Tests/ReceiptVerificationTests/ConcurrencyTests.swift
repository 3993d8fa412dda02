import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Concurrency")
struct ConcurrencyTests {
    /// `RECEIPT_COUNT` in the environment sets how many receipts each thread verifies.
    private static let count = ProcessInfo.processInfo.environment["RECEIPT_COUNT"].flatMap(Int.init) ?? 600

    @Test("eight threads that share a verifier have the verdicts of one thread")
    func threadsAgree() async throws {
        let authority = try #require(Fixture.authority)
        let signers = try (0..<6).map { _ in try authority.makeSigner() }
        // Six signers and a capacity of four, so that keys are evicted while other threads use them.
        let verifier = try Fixture.verifier(keyCache: VerificationKeyCache(capacity: 4))
        let receipts = try (0..<Self.count).map { number in
            let jws = try Fixture.jws(number, by: signers[number % signers.count])
            return number % 5 == 0 ? String(jws.dropLast(4)) + "AAAA" : jws
        }
        let expected = receipts.map { verifier.verifyTransaction($0).verdict }
        let results = await withTaskGroup(of: [Verdict].self) { group in
            for _ in 0..<8 { group.addTask { receipts.map { verifier.verifyTransaction($0).verdict } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results { #expect(result == expected) }
        #expect(expected.filter { $0 == .verified }.count == Self.count - (Self.count + 4) / 5)
    }
}

import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Copies of a verifier")
struct VerifierCopyTests {
    @Test("a copy with another clock checks signing times against that clock and shares the key cache")
    func clock() throws {
        let verifier = try Fixture.verifier()
        let jws = try Fixture.jws()
        #expect(verifier.verifyTransaction(jws).verifiedPayload != nil)
        var early = verifier
        early.clock = { Fixture.now.adding(milliseconds: -2 * 86_400_000) }
        #expect(early.verifyTransaction(jws).failure?.code == .signedInTheFuture)
        #expect(verifier.verifyTransaction(jws).verifiedPayload != nil)
        #expect(early.keyCache === verifier.keyCache)
        #expect(verifier.keyCache.statistics.chainValidations == 1)
    }

    @Test("a copy with another policy applies that policy, and the original keeps its own")
    func policy() throws {
        let verifier = try Fixture.verifier()
        let jws = try Fixture.jws()
        var other = verifier
        other.policy.environments = [.production]
        other.policy.validity = .now
        #expect(other.verifyTransaction(jws).failure?.code == .environmentMismatch)
        #expect(verifier.verifyTransaction(jws).verifiedPayload != nil)
        #expect(verifier.policy == VerificationPolicy())
        #expect(other.policy.validity == .now)
    }

    @Test("an error prints its code and its message")
    func errorsPrint() throws {
        #expect("\(CryptoFault.outOfMemory)" == "out-of-memory: out of memory")
        let error = #expect(throws: ES256KeyError.self) { try ES256PublicKey(derRepresentation: [1]) }
        #expect(error?.description == "malformed: the bytes are not a public key")
        #expect(error == ES256KeyError(code: .malformed))
    }
}

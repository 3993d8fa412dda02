import ReceiptTypes
import Testing

@testable import ReceiptTestAuthority
@testable import ReceiptVerification

struct VerifiedIssuersTests {
    /// A verifier that has seen the authority's intermediate.
    private static func experiencedVerifier(_ authority: TestAuthority) throws -> ReceiptVerifier {
        let verifier = try Fixture.verifier(signedBy: authority)
        #expect(verifier.verifyTransaction(try Fixture.jws(by: authority.signer)).verdict == .verified)
        return verifier
    }

    /// The authority's signer with one bit of a certificate's signature changed.
    private static func signer(_ authority: TestAuthority, damaging index: Int) throws -> TestSigner {
        var chain = authority.signer.chain
        let last = try #require(chain[index].indices.last)
        chain[index][last] ^= 1
        return TestSigner(key: authority.signer.key, chain: chain)
    }

    @Test("[CARD-4] a leaf under a known intermediate still needs that intermediate's signature")
    func judgesEachLeaf() throws {
        let authority = try TestAuthority()
        let verifier = try Self.experiencedVerifier(authority)
        var shape = CertificateShape.leaf
        shape.isSignedByStranger = true
        let stranger = try authority.makeSigner(leaf: shape)
        let damaged = try Self.signer(authority, damaging: 0)
        for signer in [stranger, damaged] {
            let failure = verifier.verifyTransaction(try Fixture.jws(by: signer)).failure
            #expect(failure?.code == .chainInvalid)
            #expect(failure?.certificateIndex == 0)
        }
        let other = try authority.makeSigner()
        #expect(verifier.verifyTransaction(try Fixture.jws(2, by: other)).verdict == .verified)
    }

    @Test("[CARD-4] a known intermediate does not speak for one that differs in its signature alone")
    func judgesEachIntermediate() throws {
        let authority = try TestAuthority()
        let damaged = try Fixture.jws(by: Self.signer(authority, damaging: 1))
        let fresh = try Fixture.verifier(signedBy: authority)
        let experienced = try Self.experiencedVerifier(authority)
        // Twice, since a refusal must not be taken for knowledge either.
        for verifier in [experienced, experienced, fresh, fresh] {
            let failure = verifier.verifyTransaction(damaged).failure
            #expect(failure?.code == .chainInvalid)
            #expect(failure?.certificateIndex == 1)
        }
        #expect(fresh.verifyTransaction(try Fixture.jws(by: authority.signer)).verdict == .verified)
    }

    @Test("[CARD-4] what is known under one authority says nothing under another of the same name")
    func judgesUnderEachAuthority() throws {
        let (first, second) = (try TestAuthority(), try TestAuthority())
        let issuers = VerifiedIssuers()
        let intermediate = try #require(try Certificate(der: first.intermediateCertificate))
        let own = try #require(try Certificate(der: first.rootCertificate))
        let other = try #require(try Certificate(der: second.rootCertificate))
        #expect(try issuers.isSigned(intermediate, by: own))
        #expect(try issuers.isSigned(intermediate, by: own))
        #expect(try !issuers.isSigned(intermediate, by: other))
        #expect(try !issuers.isSigned(own, by: intermediate))
    }
}

import ReceiptTypes
import Testing

@testable import ReceiptTestAuthority
@testable import ReceiptVerification

/// Tests that the cache of verified intermediates never replaces a check.
@Suite("Verified issuers")
struct VerifiedIssuersTests {
    /// Returns a verifier that has cached the authority's intermediate.
    private static func warmVerifier(_ authority: TestAuthority) throws -> ReceiptVerifier {
        let verifier = try Fixture.verifier(signedBy: authority)
        #expect(verifier.verifyTransaction(try Fixture.jws(by: authority.signer)).verdict == .verified)
        return verifier
    }

    /// Returns the authority's signer with one bit changed in the signature of a certificate.
    private static func signer(_ authority: TestAuthority, damaging index: Int) throws -> TestSigner {
        var chain = authority.signer.chain
        let last = try #require(chain[index].indices.last)
        chain[index][last] ^= 1
        return TestSigner(key: authority.signer.key, chain: chain)
    }

    @Test("[OTP-7.4] a leaf that a cached intermediate has not signed is rejected")
    func leafSignatureIsChecked() throws {
        let authority = try TestAuthority()
        let verifier = try Self.warmVerifier(authority)
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

    @Test("[OTP-7.4] an intermediate that differs from a cached one only in its signature is rejected")
    func intermediateSignatureIsChecked() throws {
        let authority = try TestAuthority()
        let damaged = try Fixture.jws(by: Self.signer(authority, damaging: 1))
        let fresh = try Fixture.verifier(signedBy: authority)
        let warm = try Self.warmVerifier(authority)
        // Twice, because a failed check must not be cached either.
        for verifier in [warm, warm, fresh, fresh] {
            let failure = verifier.verifyTransaction(damaged).failure
            #expect(failure?.code == .chainInvalid)
            #expect(failure?.certificateIndex == 1)
        }
        #expect(fresh.verifyTransaction(try Fixture.jws(by: authority.signer)).verdict == .verified)
    }

    @Test("[OTP-7.4] an intermediate that is cached under one root is not signed by another root of the same name")
    func rootsAreDistinguished() throws {
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

import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptTestAuthority
@testable import ReceiptVerification

/// An adversary with the key of a distrusted certificate chooses the bytes that no signature covers: the signature of
/// each certificate, and how it is encoded.
@Suite("Distrusted certificates")
struct DistrustTests {
    private static func input(_ chain: [[UInt8]], by authority: TestAuthority) throws -> ReceiptInput {
        .jws([UInt8](try Fixture.jws(by: TestSigner(key: authority.signer.key, chain: chain)).utf8))
    }

    private static func otherForm(of der: [UInt8]) -> [UInt8] {
        let certificate = EncodedCertificate(der)
        return certificate.der(bits: certificate.otherForm)
    }

    /// The chains of an authority in which certificates have the other form of their signature.
    private static func forms(of chain: [[UInt8]]) -> [[[UInt8]]] {
        let others = chain.map(otherForm)
        return [
            chain, [others[0], chain[1], chain[2]], [chain[0], others[1], chain[2]], [others[0], others[1], chain[2]],
            others,
        ]
    }

    /// Ways to write a certificate that has the same TBSCertificate.
    private static func encodings(of der: [UInt8]) -> [(name: String, der: [UInt8])] {
        let certificate = EncodedCertificate(der)
        let (signature, algorithm) = (certificate.signature, EncodedCertificate.contents(of: certificate.algorithm))
        let integers = EncodedCertificate.elements(in: EncodedCertificate.contents(of: signature))
        let element = EncodedCertificate.element
        let contents = EncodedCertificate.contents(of: der)
        let padded = element(0x30, element(0x02, [0] + EncodedCertificate.contents(of: integers[0])) + integers[1])
        let p384 = element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03])
        let p521 = element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x04])
        return [
            ("the other form of the signature", certificate.der(bits: certificate.otherForm)),
            ("a long length", [0x30, 0x83, 0, UInt8(contents.count >> 8), UInt8(contents.count & 255)] + contents),
            ("an indefinite length", [0x30, 0x80] + contents + [0, 0]),
            ("a byte behind it", der + [0]),
            ("an element in it", element(0x30, contents + [0x05, 0])),
            ("unused bits", certificate.der(bits: element(0x03, [1] + signature))),
            ("a constructed BIT STRING", certificate.der(bits: element(0x23, element(0x03, [0] + signature)))),
            ("a padded integer", certificate.der(bits: element(0x03, [0] + padded))),
            ("a byte behind the signature", certificate.der(bits: element(0x03, [0] + signature + [0]))),
            ("parameters of the algorithm", certificate.der(algorithm: element(0x30, algorithm + [0x05, 0]))),
            ("another algorithm", certificate.der(algorithm: element(0x30, algorithm == p384 ? p521 : p384))),
        ]
    }

    @Test("no encoding of a distrusted leaf or intermediate verifies, however it is named [CARD-4]")
    func encodings() throws {
        let rounds = ProcessInfo.processInfo.environment["DISTRUST_ROUNDS"].flatMap(Int.init) ?? 2
        for _ in 0..<rounds {
            let authority = try TestAuthority()
            let chain = authority.signer.chain
            for (index, der) in chain.dropLast().enumerated() {
                var policies: [VerificationPolicy] = [.init()]
                try policies[0].distrust(der)
                let certificate = try #require(try Certificate(der: der))
                let other = try SHA256Digest.of(bytes: Self.otherForm(of: der))
                policies += ([certificate.fingerprint, other] + certificate.signedDigests).map {
                    .init(distrustedCertificates: [$0])
                }
                for encoding in Self.encodings(of: der) {
                    var changed = chain
                    changed[index] = encoding.der
                    let input = try Self.input(changed, by: authority)
                    for policy in policies {
                        let verifier = try Fixture.verifier(policy: policy, signedBy: authority)
                        #expect(verifier.verify(input).verdict == .unverified, "\(encoding.name)")
                        #expect(verifier.explain(input).verdict == .unverified, "\(encoding.name)")
                    }
                }
            }
        }
    }

    @Test("either form of a signature in a chain verifies, and is distrusted by the digest of the other [CARD-4]")
    func otherForms() throws {
        let authority = try #require(Fixture.authority)
        let forms = Self.forms(of: authority.signer.chain)
        for form in forms {
            let input = try Self.input(form, by: authority)
            #expect(try Fixture.verifier().verify(input).verdict == .verified)
            for (index, named) in forms.flatMap({ $0.enumerated() }) {
                let digest = try SHA256Digest.of(bytes: named)
                let policy = VerificationPolicy(distrustedCertificates: [digest])
                let failure = try Fixture.verifier(policy: policy).verify(input).failure
                #expect(failure?.code == .certificateDistrusted)
                #expect(failure?.certificateIndex == index)
            }
        }
    }

    @Test("a distrusted certificate is rejected in both forms, even if its key is cached or comes from a file [CARD-3]")
    func cachedKeys() throws {
        let authority = try #require(Fixture.authority)
        let chain = authority.signer.chain
        let inputs = try Self.forms(of: chain).map { try Self.input($0, by: authority) }
        let cache = VerificationKeyCache()
        let trusting = try Fixture.verifier(keyCache: cache)
        for input in inputs { #expect(trusting.verify(input).verdict == .verified) }
        let (sealingKey, loaded) = (try SealingKey.random(), VerificationKeyCache())
        #expect(try loaded.load(try KeyCacheFile.encode(cache.keys, sealingKey), sealingKey: sealingKey) == nil)
        #expect(loaded.keys.count == inputs.count)
        for (index, der) in chain.enumerated() {
            let certificate = try #require(try Certificate(der: der))
            for digest in [certificate.fingerprint] + certificate.signedDigests {
                for cache in [cache, loaded] {
                    let verifier = try Fixture.verifier(
                        policy: .init(distrustedCertificates: [digest]), keyCache: cache)
                    for input in inputs {
                        let failure = verifier.verify(input).failure
                        #expect(failure?.code == .certificateDistrusted)
                        #expect(failure?.certificateIndex == index)
                        #expect(failure?.actual?.contains(digest.description) ?? false)
                        let isOfPart = digest != certificate.fingerprint
                        #expect(failure?.actual?.contains("distrusted by the SHA-256 of its ") == isOfPart)
                    }
                }
            }
        }
    }

    @Test("a key is distrusted in every certificate, and a certificate only in itself [CARD-4]")
    func keys() throws {
        let authority = try #require(Fixture.authority)
        let chain = authority.signer.chain
        var shape = CertificateShape.leaf
        shape.commonName = "Renewed"
        let renewed = try shape.certificate(
            for: authority.signer.key.publicKey(), issuer: CertificateShape.intermediate.subject,
            signedBy: authority.intermediateKey)
        let input = try Self.input([renewed] + chain.dropFirst(), by: authority)
        #expect(try Fixture.verifier().verify(input).verdict == .verified)
        var policy = VerificationPolicy()
        try policy.distrust(chain[0])
        #expect(try Fixture.verifier(policy: policy).verify(input).failure?.code == .certificateDistrusted)
        policy.distrustedCertificates = [try SHA256Digest.of(bytes: chain[0])]
        #expect(try Fixture.verifier(policy: policy).verify(input).verdict == .verified)
    }

    @Test("a certificate is named by each of its signed parts, and by the other form on each curve [CARD-4]")
    func digests() throws {
        for curve in [CertificateShape.KeyKind.p256, .p384, .p521] {
            let issuerKey = try PrivateKey(generating: curve.algorithm)
            let key = try PrivateKey(generating: .p256).publicKey()
            let der = try CertificateShape.leaf.certificate(
                for: key, issuer: CertificateShape.intermediate.subject, signedBy: issuerKey)
            let digests = try #require(try Certificate(der: der)).digests
            let encoded = EncodedCertificate(der)
            let members = EncodedCertificate.elements(in: EncodedCertificate.contents(of: encoded.tbs))
            let identifier = EncodedCertificate.element(0x30, members[3] + members[1])
            let parts = [der, encoded.tbs, try key.subjectPublicKeyInfo(), identifier]
            #expect(try digests.prefix(4) == ArraySlice(parts.map { try SHA256Digest.of(bytes: $0) }))
            #expect(digests.contains(try SHA256Digest.of(bytes: Self.otherForm(of: der))))
        }
    }

    @Test("certificates can be distrusted in DER and in PEM, and what is none is an error [CARD-4]")
    func reading() throws {
        let chain = try #require(Fixture.authority).signer.chain
        var fromDER = VerificationPolicy()
        try fromDER.distrust(chain[0])
        #expect(fromDER.distrustedCertificates.count == 3)
        let leaf = try #require(try Certificate(der: chain[0]))
        // Other programs print the digest of a key, but not that of a TBSCertificate.
        #expect(fromDER.distrusts(leaf.digests)?.part == "its key (SubjectPublicKeyInfo)")
        var fromPEM = VerificationPolicy()
        let blocks = chain.prefix(2).map { PEM.encode($0, label: "CERTIFICATE") }
        try fromPEM.distrust([UInt8](blocks.joined().utf8))
        #expect(fromPEM.distrustedCertificates.isSuperset(of: fromDER.distrustedCertificates))
        #expect(fromPEM.distrustedCertificates.count == 6)
        let before = fromPEM
        for bytes in [[], [0x30], [UInt8]("text".utf8), chain[0] + [0], [UInt8](chain[0].dropLast())] {
            let error = #expect(throws: TrustAnchorError.self) { try fromPEM.distrust(bytes) }
            #expect(error?.code == .notACertificate)
        }
        // Each of these could be the certificate that was meant.
        let (good, other) = (blocks[0], blocks[1])
        let key = try #require(EncodedCertificate.key(of: chain[1]))
        for others in [
            PEM.encode(key, label: "PUBLIC KEY"), other.replacing("CERTIFICATE", with: "X509 CERTIFICATE"),
            other.replacing("CERTIFICATE", with: "TRUSTED CERTIFICATE"), "  " + other.replacing("\n", with: "\n  "),
            other.replacing("-----BEGIN", with: "----BEGIN"),
            other.replacing("-----BEGIN CERTIFICATE-----\n", with: ""),
        ] {
            let error = #expect(throws: TrustAnchorError.self) { try fromPEM.distrust([UInt8]((good + others).utf8)) }
            #expect(error?.code == .notOnlyCertificates, "\(others.prefix(40))")
        }
        let error = #expect(throws: TrustAnchorError.self) { try fromPEM.distrust([UInt8](good.utf8) + chain[1]) }
        #expect(error?.code == .notOnlyCertificates)
        #expect(fromPEM == before)
        // What OpenSSL prints around certificates is no other certificate.
        try fromPEM.distrust([UInt8]("Bag Attributes\n    localKeyID: 54 69\nsubject=CN = A\n\(good)\n".utf8))
        #expect(fromPEM == before)
    }
}

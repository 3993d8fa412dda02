import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Test authority")
struct TestAuthorityTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "receipt-authority-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("[CARD-2] the chain verifies with the openssl command too")
    func opensslAgrees() throws {
        let authority = try #require(Fixture.authority)
        try withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (index, der) in authority.signer.chain.enumerated() {
                try PEM.encode(der, label: "CERTIFICATE").write(
                    toFile: "\(folder)/\(index).pem", atomically: true, encoding: .utf8
                )
            }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "openssl", "verify", "-CAfile", "\(folder)/2.pem", "-untrusted", "\(folder)/1.pem",
                "\(folder)/0.pem",
            ]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }

    @Test("[CARD-4] every flaw that a chain can be given is refused with its own code")
    func flawsAreRefused() throws {
        func shape(_ base: CertificateShape, _ change: (inout CertificateShape) -> Void) -> CertificateShape {
            var shape = base
            change(&shape)
            return shape
        }
        let leaves: [(CertificateShape, VerificationFailure.Code)] = [
            (shape(.leaf) { $0.isCA = true }, .leafIsCA),
            (shape(.leaf) { $0.keyUsages = ["keyAgreement"] }, .leafKeyUsage),
            (shape(.leaf) { $0.rawExtensions = [] }, .leafMarkerMissing),
            (shape(.leaf) { $0.hash = .sha1 }, .certificateAlgorithm),
            (
                shape(.leaf) { $0.rawExtensions.append(.init(oid: "1.2.3.4", isCritical: true)) },
                .certificateCriticalExtension
            ),
            (shape(.leaf) { $0.issuerName = "Somebody Else" }, .chainInvalid),
            (shape(.leaf) { $0.isSignedByStranger = true }, .chainInvalid),
            (shape(.leaf) { $0.version = 1 }, .certificateMalformed),
        ]
        let authority = try #require(Fixture.authority)
        for (leaf, code) in leaves {
            let jws = try Fixture.jws(by: authority.makeSigner(leaf: leaf))
            #expect(try Fixture.verifier().verifyTransaction(jws).failure?.code == code)
        }
        let intermediates: [(CertificateShape, VerificationFailure.Code)] = [
            (shape(.intermediate) { $0.isCA = nil }, .intermediateNotCA),
            (shape(.intermediate) { $0.keyUsages = ["digitalSignature"] }, .intermediateKeyUsage),
            (shape(.intermediate) { $0.rawExtensions = [] }, .intermediateMarkerMissing),
            (shape(.intermediate) { $0.key = .rsa(bits: 1024) }, .certificateAlgorithm),
        ]
        for (intermediate, code) in intermediates {
            let flawed = try TestAuthority(intermediate: intermediate)
            let verifier = try Fixture.verifier(signedBy: flawed)
            #expect(verifier.verifyTransaction(try Fixture.jws(by: flawed.signer)).failure?.code == code)
        }
    }

    @Test("[CARD-6] an authority survives on disk, its keys private, and is not overwritten by accident")
    func filesArePrivate() throws {
        let authority = try #require(Fixture.authority)
        try withFolder { folder in
            #expect(try TestAuthority.load(from: folder) == nil)
            try authority.write(to: folder)
            for name in ["root-key.pem", "intermediate-key.pem", "leaf-key.pem"] {
                let mode =
                    try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            #expect(throws: FileError.self) { try authority.write(to: folder) }
            try authority.write(to: folder, overwriting: true)
            let again = try #require(try TestAuthority.load(from: folder))
            let jws = try Fixture.jws(by: again.makeSigner())
            #expect(try Fixture.verifier().verifyTransaction(jws).verifiedPayload != nil)
            #expect(!"\(authority)".contains("PRIVATE"))
        }
    }

    @Test("a local signer's receipt verifies only under its own certificate and only for local environments")
    func localSigner() throws {
        let signer = try TestAuthority.makeLocalSigner()
        var local = Fixture.transaction()
        local.environment = .xcode
        #expect(try Fixture.verifier().verifyTransaction(try signer.sign(local)).failure?.code == .chainLength)
        var anchors = TrustAnchors.apple
        try anchors.add(signer.chain[0])
        let verifier = ReceiptVerifier(trustAnchors: anchors, clock: { Fixture.now })
        #expect(verifier.verifyTransaction(try signer.sign(local)).verifiedPayload != nil)
        #expect(verifier.verifyTransaction(try Fixture.jws(by: signer)).failure?.code == .environmentMismatch)
    }
}

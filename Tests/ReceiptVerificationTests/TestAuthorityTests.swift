import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptTestAuthority
@testable import ReceiptVerification

@Suite("Test authority")
struct TestAuthorityTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "receipt-authority-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("the openssl command verifies the chain of a test authority")
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

    @Test("[CARD-4] a chain with a flaw is rejected with the code of that flaw")
    func flawsAreRejected() throws {
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
            (shape(.leaf) { $0.issuerName = "Another Authority" }, .chainInvalid),
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

    @Test("an authority can be loaded from its files, whose keys are private and which are overwritten only on request")
    func filesAreLoadedAndPrivate() throws {
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
            let loaded = try #require(try TestAuthority.load(from: folder))
            let jws = try Fixture.jws(by: loaded.makeSigner())
            #expect(try Fixture.verifier().verifyTransaction(jws).verifiedPayload != nil)
            #expect(!"\(authority)".contains("PRIVATE"))
        }
    }

    @Test("an authority is not written to a folder that has any file of another, and the folder stays unchanged")
    func foreignFilesAreKept() throws {
        let authority = try #require(Fixture.authority)
        let names = [
            "root.der", "root.pem", "intermediate.der", "leaf.der", "root-key.pem", "intermediate-key.pem",
            "leaf-key.pem",
        ]
        for name in names {
            try withFolder { folder in
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let left = "\(folder)/\(name)"
                #expect(FileManager.default.createFile(atPath: left, contents: Data("mine".utf8)))
                let error = #expect(throws: FileError.self) { try authority.write(to: folder) }
                #expect(error?.code == .exists)
                #expect(error?.path == left)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [name])
                #expect(FileManager.default.contents(atPath: left) == Data("mine".utf8))
            }
        }
    }

    @Test("an authority whose keys and certificates do not match cannot be loaded")
    func mismatchedFilesAreRejected() throws {
        let authority = try #require(Fixture.authority)
        let stranger = try TestAuthority()
        let cases = [
            ("root.der", "root.der"), ("root-key.pem", "root.der"),
            ("intermediate.der", "intermediate.der"), ("intermediate-key.pem", "intermediate.der"),
            ("leaf.der", "leaf.der"), ("leaf-key.pem", "leaf.der"),
        ]
        try withFolder { other in
            try stranger.write(to: other)
            for (swapped, reported) in cases {
                try withFolder { folder in
                    try authority.write(to: folder)
                    try FileManager.default.removeItem(atPath: "\(folder)/\(swapped)")
                    try FileManager.default.copyItem(atPath: "\(other)/\(swapped)", toPath: "\(folder)/\(swapped)")
                    let error = #expect(throws: FileError.self) { try TestAuthority.load(from: folder) }
                    #expect(error?.code == .mismatched)
                    #expect(error?.path == "\(folder)/\(reported)")
                }
            }
        }
    }

    @Test("an authority with a certificate that another authority has issued cannot be loaded")
    func foreignIssuersAreRejected() throws {
        let authority = try TestAuthority()
        let stranger = try TestAuthority()
        let intermediate = try CertificateShape.intermediate.certificate(
            for: authority.intermediateKey.publicKey(), issuerName: CertificateShape.root.commonName,
            signedBy: stranger.rootKey
        )
        let leaf = try CertificateShape.leaf.certificate(
            for: authority.signer.key.publicKey(), issuerName: CertificateShape.intermediate.commonName,
            signedBy: stranger.intermediateKey
        )
        for (name, der) in [("intermediate.der", intermediate), ("leaf.der", leaf)] {
            try withFolder { folder in
                try authority.write(to: folder)
                try Data(der).write(to: URL(filePath: "\(folder)/\(name)"))
                let error = #expect(throws: FileError.self) { try TestAuthority.load(from: folder) }
                #expect(error?.code == .mismatched)
                #expect(error?.path == "\(folder)/\(name)")
            }
        }
    }

    @Test("a Google Play key can be loaded from its file, which is private and never overwritten")
    func playKeyIsLoadedAndPrivate() throws {
        try withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = "\(folder)/play-key.pem"
            #expect(try TestPlayKey.load(from: path) == nil)
            let key = try TestPlayKey()
            try key.write(to: path)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            #expect(try TestPlayKey.load(from: path)?.publicKey == key.publicKey)
            #expect(throws: FileError.self) { try key.write(to: path) }
            try PrivateFile.replace(path, [UInt8]("nothing".utf8))
            #expect(throws: FileError.self) { try TestPlayKey.load(from: path) }
        }
    }

    @Test("a receipt of a local signer verifies only if its certificate is a root, and only for local environments")
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

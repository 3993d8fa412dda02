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

    /// Verifies a chain, leaf first, with `openssl verify -x509_strict`; returns what the command reports.
    private func verifyStrictly(_ chain: [[UInt8]]) throws -> (code: Int32, text: String) {
        var outcome: (Int32, String) = (-1, "")
        try withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (index, der) in chain.enumerated() {
                try PEM.encode(der, label: "CERTIFICATE").write(
                    toFile: "\(folder)/\(index).pem", atomically: true, encoding: .utf8
                )
            }
            outcome = try openssl(
                "verify", "-x509_strict", "-purpose", "any", "-CAfile", "\(folder)/2.pem", "-untrusted",
                "\(folder)/1.pem", "\(folder)/0.pem"
            )
        }
        return outcome
    }

    /// Runs the openssl command; returns its exit code, its output and its messages.
    private func openssl(_ arguments: String...) throws -> (code: Int32, text: String) {
        try openssl(arguments)
    }

    private func openssl(_ arguments: [String]) throws -> (code: Int32, text: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test("openssl verify -x509_strict accepts the chain of a test authority and of every further leaf")
    func strictVerifiersAgree() throws {
        let authority = try #require(Fixture.authority)
        for chain in [authority.signer.chain, try authority.makeSigner().chain] {
            let outcome = try verifyStrictly(chain)
            #expect(outcome.code == 0, "\(outcome.text)")
            #expect(!outcome.text.contains("error"), "\(outcome.text)")
        }
        var root = CertificateShape.root
        root.key = .rsa(bits: 2048)
        let mixed = try TestAuthority(root: root)
        let outcome = try verifyStrictly(mixed.signer.chain)
        #expect(outcome.code == 0, "\(outcome.text)")
    }

    @Test("a chain without key identifiers fails openssl verify -x509_strict, and its receipts verify")
    func keyIdentifiersAreOptional() throws {
        var shapes = [CertificateShape.root, .intermediate, .leaf]
        for index in shapes.indices { shapes[index].hasKeyIdentifiers = false }
        let authority = try TestAuthority(root: shapes[0], intermediate: shapes[1], leaf: shapes[2])
        let outcome = try verifyStrictly(authority.signer.chain)
        #expect(outcome.code != 0)
        #expect(outcome.text.contains("Missing Authority Key Identifier"), "\(outcome.text)")
        let verifier = try Fixture.verifier(signedBy: authority)
        #expect(verifier.verifyTransaction(try Fixture.jws(by: authority.signer)).verifiedPayload != nil)
    }

    @Test("the critical extensions of a minted chain are basicConstraints and keyUsage, and the root has no AKI")
    func extensionsAreThoseOfApple() throws {
        let authority = try #require(Fixture.authority)
        let constraints = ["CA:FALSE", "CA:TRUE, pathlen:0", "CA:TRUE"]
        for (index, der) in authority.signer.chain.enumerated() {
            try withFolder { folder in
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try Data(der).write(to: URL(filePath: "\(folder)/certificate.der"))
                let names = "basicConstraints,keyUsage,subjectKeyIdentifier,authorityKeyIdentifier"
                let text = try openssl(
                    "x509", "-inform", "DER", "-in", "\(folder)/certificate.der", "-noout", "-ext", names
                ).text
                let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                let first = try #require(lines.firstIndex(of: "X509v3 Basic Constraints: critical"))
                #expect(lines[first + 1] == constraints[index])
                #expect(lines.contains("X509v3 Key Usage: critical"))
                #expect(lines.contains("X509v3 Subject Key Identifier:"))
                #expect(lines.contains("X509v3 Authority Key Identifier:") == (index < 2))
            }
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

    @Test("an authority of another process that appears while one is made is the one of the folder")
    func firstUseOfTwoProcesses() throws {
        try withFolder { folder in
            var first: TestAuthority?
            let second = try TestAuthority.loadOrCreate(in: folder) {
                first = try TestAuthority.loadOrCreate(in: folder) { try TestAuthority() }
                return try TestAuthority()
            }
            #expect(second.rootCertificate == first?.rootCertificate)
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
            for: authority.intermediateKey.publicKey(), issuer: CertificateShape.root.subject,
            signedBy: stranger.rootKey
        )
        let leaf = try CertificateShape.leaf.certificate(
            for: authority.signer.key.publicKey(), issuer: CertificateShape.intermediate.subject,
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

    @Test("an authority whose keys are in another form of PEM is loaded and signs as before")
    func otherFormsOfKeysAreRead() throws {
        var root = CertificateShape.root
        root.key = .rsa(bits: 2048)
        let authority = try TestAuthority(root: root)
        try withFolder { folder in
            try authority.write(to: folder)
            // "-traditional" writes SEC1 for an elliptic curve and PKCS#1 for RSA.
            for (name, label) in [
                ("root-key.pem", "BEGIN RSA PRIVATE KEY"), ("intermediate-key.pem", "BEGIN EC PRIVATE KEY"),
                ("leaf-key.pem", "BEGIN EC PRIVATE KEY"),
            ] {
                let path = "\(folder)/\(name)"
                let text = try openssl("pkey", "-in", path, "-traditional").text
                #expect(text.contains(label), "\(text)")
                try PrivateFile.replace(path, [UInt8](text.utf8))
            }
            // "openssl ecparam -genkey" writes the curve before the key.
            let path = "\(folder)/leaf-key.pem"
            let parameters = try openssl("ecparam", "-name", "prime256v1").text
            let key = try String(contentsOfFile: path, encoding: .utf8)
            try PrivateFile.replace(path, [UInt8]((parameters + key).utf8))
            let loaded = try #require(try TestAuthority.load(from: folder))
            let verifier = try Fixture.verifier(signedBy: authority)
            #expect(verifier.verifyTransaction(try Fixture.jws(by: loaded.signer)).verifiedPayload != nil)
        }
    }

    @Test("a key that cannot be used is reported with its file and the reason")
    func unusableKeysAreNamed() throws {
        let authority = try #require(Fixture.authority)
        try withFolder { folder in
            try authority.write(to: folder)
            let path = "\(folder)/leaf-key.pem"
            let encryptions = [
                ["pkcs8", "-topk8", "-passout", "pass:secret"],
                ["pkey", "-traditional", "-aes256", "-passout", "pass:secret"],
            ]
            let encrypted = try encryptions.map { arguments in
                try openssl(arguments + ["-in", path]).text
            }
            #expect(encrypted[0].contains("BEGIN ENCRYPTED PRIVATE KEY"))
            #expect(encrypted[1].contains("Proc-Type: 4,ENCRYPTED"))
            let rsa = try openssl("genrsa", "-traditional", "2048").text
            let certificate = PEM.encode(authority.rootCertificate, label: "CERTIFICATE")
            let valid = try String(contentsOfFile: path, encoding: .utf8)
            let cases: [(String, FileError.Code)] = [
                (encrypted[0], .encryptedKey), (encrypted[1], .encryptedKey), (rsa, .mismatched),
                ("", .notAPrivateKey), ("no key", .notAPrivateKey), (certificate, .notAPrivateKey),
                (PEM.encode([0x30, 0x00], label: "PRIVATE KEY"), .notAPrivateKey),
                (PEM.encode([0x30, 0x00], label: "EC PRIVATE KEY"), .notAPrivateKey),
                (String(valid.dropLast(40)), .notAPrivateKey),
            ]
            for (text, code) in cases {
                try PrivateFile.replace(path, [UInt8](text.utf8))
                let error = #expect(throws: FileError.self) { try TestAuthority.load(from: folder) }
                #expect(error?.code == code, "\(text)")
                #expect(error?.path == (code == .mismatched ? "\(folder)/leaf.der" : path))
            }
            #expect(FileError(code: .encryptedKey, path: path).message.contains("openssl pkey -in"))
            let play = "\(folder)/play-key.pem"
            try PrivateFile.replace(play, [UInt8](valid.utf8))
            #expect(throws: FileError.self) { try TestPlayKey.load(from: play) }
            try PrivateFile.replace(play, [UInt8](rsa.utf8))
            #expect(try TestPlayKey.load(from: play) != nil)
        }
    }

    @Test("an authority whose leaf has no P-256 key cannot be loaded, because receipts are signed with ES256")
    func leafKeysAreP256() throws {
        var leaf = CertificateShape.leaf
        leaf.key = .p384
        let authority = try TestAuthority(leaf: leaf)
        try withFolder { folder in
            try authority.write(to: folder)
            let error = #expect(throws: FileError.self) { try TestAuthority.load(from: folder) }
            #expect(error?.code == .wrongKeyType)
            #expect(error?.path == "\(folder)/leaf-key.pem")
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

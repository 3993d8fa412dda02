import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Key cache")
struct VerificationKeyCacheTests {
    @Test("[CARD-3] a second receipt of the same signer needs no chain validation")
    func chainIsValidatedOnce() throws {
        let cache = VerificationKeyCache()
        let verifier = try Fixture.verifier(keyCache: cache)
        for number in 1...20 { #expect(verifier.verifyTransaction(try Fixture.jws(number)).verifiedPayload != nil) }
        let statistics = cache.statistics
        #expect(statistics.chainValidations == 1)
        #expect(statistics.misses == 1)
        #expect(statistics.hits == 19)
        #expect(statistics.entries == 1)
    }

    @Test("[CARD-3] a receipt with an invalid signature adds no key to the cache")
    func invalidSignaturesAddNoKey() throws {
        let cache = VerificationKeyCache()
        let verifier = try Fixture.verifier(keyCache: cache)
        let good = try Fixture.jws()
        let other = try Fixture.jws(2)
        let spliced =
            good.prefix(upTo: good.lastIndex(of: ".") ?? good.endIndex)
            + other.suffix(from: other.lastIndex(of: ".") ?? other.endIndex)
        #expect(verifier.verifyTransaction(String(spliced)).failure?.code == .signatureInvalid)
        #expect(cache.statistics.entries == 0)
    }

    @Test("[CARD-3] the header of a receipt enters the cache only after its signature has verified", arguments: [1, 3])
    func headersOfForgedReceiptsAreNotKept(copies: Int) throws {
        let cache = VerificationKeyCache()
        let verifier = try Fixture.verifier(keyCache: cache)
        let anchorSet = try #require(verifier.rules.anchorSet)
        let authority = try #require(Fixture.authority)
        let genuine = try Fixture.jws()
        let segments = genuine.split(separator: ".").map(String.init)
        // The same certificates under other header bytes, with a signature over the original ones.
        let headerBytes = try #require(Base64.url.decode(segments[0]))
        var header = try #require(JSONDocument.value(of: headerBytes).object)
        header["kid"] = .string("forged")
        let forgedHeader = Base64.url.encode([UInt8](header.description.utf8))
        let forged = ReceiptInput.jws([UInt8]("\(forgedHeader).\(segments[1]).\(segments[2])".utf8))
        func isKept(_ header: String) -> Bool {
            [UInt8](header.utf8).withRawSpan { cache.key(forHeader: $0, anchorSet: anchorSet) } != nil
        }

        func verify(_ input: ReceiptInput) -> [Verdict] {
            var verdicts: [Verdict] = []
            verifier.verify(Array(repeating: input, count: copies)) { verdicts.append($0.verdict) }
            return verdicts
        }

        #expect(verify(forged).allSatisfy { $0 == .unverified })
        #expect(cache.keys.isEmpty)
        #expect(verify(.jws([UInt8](genuine.utf8))).allSatisfy { $0 == .verified })
        #expect(isKept(segments[0]))
        #expect(verify(forged).allSatisfy { $0 == .unverified })
        #expect(isKept(segments[0]), "a forged receipt replaced the header of a genuine one")
        #expect(!isKept(forgedHeader))

        // A genuine receipt with other header bytes and the same chain is found by its chain, and then by its header.
        let payload = try #require(Base64.url.decode(segments[1]))
        let other = try authority.signer.sign(header: [UInt8](header.description.utf8), payload: payload)
        #expect(verify(.jws(other)).allSatisfy { $0 == .verified })
        #expect(isKept(forgedHeader))
        #expect(cache.statistics.chainValidations == 2)
    }

    @Test("[CARD-3] a thread keeps the certificates of a header only if a receipt has verified under it")
    func unprovenSignersAreDropped() throws {
        let verifier = try Fixture.verifier()
        let genuine = [UInt8](try Fixture.jws().utf8)
        var forged = genuine
        forged[genuine.count - 10] =
            forged[genuine.count - 10] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        for (jws, isKept) in [(forged, false), (genuine, true)] {
            var session = VerificationSession(verifier.rules, try Workspace())
            _ = jws.withRawSpan { AppStoreJWS.check($0, &session) }
            session.workspace.signers.report(to: verifier.rules.keyCache)
            let header = [UInt8](jws.prefix { $0 != UInt8(ascii: ".") })
            let found = header.withRawSpan { session.workspace.signers.signer(of: $0) != nil }
            #expect(found == isKept)
        }
    }

    @Test("[CARD-3] forged receipts do not change the order in which keys are evicted")
    func forgedReceiptsAreNoUse() throws {
        let authority = try #require(Fixture.authority)
        let cache = VerificationKeyCache(capacity: 2)
        let verifier = try Fixture.verifier(keyCache: cache)
        let signers = try (0..<3).map { _ in try authority.makeSigner() }
        let first = try Fixture.jws(by: signers[0])
        #expect(verifier.verifyTransaction(first).verdict == .verified)
        #expect(verifier.verifyTransaction(try Fixture.jws(by: signers[1])).verdict == .verified)
        let oldest = try #require(cache.keys.first)
        let forged =
            first.prefix(upTo: first.lastIndex(of: ".") ?? first.endIndex) + "." + String(repeating: "B", count: 86)
        for _ in 0..<5 { #expect(verifier.verifyTransaction(String(forged)).verdict == .unverified) }
        #expect(verifier.verifyTransaction(try Fixture.jws(by: signers[2])).verdict == .verified)
        #expect(!cache.keys.contains { $0.chain == oldest.chain })
    }

    @Test("[CARD-3] a cached key does not verify a receipt that was signed outside its certificates' dates")
    func datesAreChecked() throws {
        var leaf = CertificateShape.leaf
        leaf.notBefore = try #require(Timestamp(rfc3339: "2025-01-01T00:00:00Z"))
        leaf.notAfter = try #require(Timestamp(rfc3339: "2025-12-31T23:59:59Z"))
        let signer = try #require(Fixture.authority).makeSigner(leaf: leaf)
        let cache = VerificationKeyCache()
        let verifier = try Fixture.verifier(keyCache: cache)
        #expect(verifier.verifyTransaction(try Fixture.jws(by: signer)).verifiedPayload != nil)
        var early = Fixture.transaction()
        early.signedDate = Timestamp(rfc3339: "2024-12-31T23:59:59Z")
        #expect(verifier.verifyTransaction(try signer.sign(early)).failure?.code == .certificateNotYetValid)
        early.signedDate = Timestamp(rfc3339: "2025-12-31T23:59:59.999Z")
        let late = ReceiptVerifier(
            trustAnchors: verifier.trustAnchors, keyCache: cache,
            clock: { Timestamp(rfc3339: "2026-02-01T00:00:00Z") ?? .maximum }
        )
        #expect(late.verifyTransaction(try signer.sign(early)).verifiedPayload != nil)
        early.signedDate = Timestamp(rfc3339: "2026-01-01T00:00:00Z")
        #expect(late.verifyTransaction(try signer.sign(early)).failure?.code == .certificateExpired)
    }

    @Test("[CARD-3] a key that is cached under one set of roots is not used under another")
    func rootsAreDistinguished() throws {
        let cache = VerificationKeyCache()
        let jws = try Fixture.jws()
        #expect(try Fixture.verifier(keyCache: cache).verifyTransaction(jws).verifiedPayload != nil)
        let stranger = try Fixture.verifier(keyCache: cache, signedBy: try TestAuthority())
        #expect(stranger.verifyTransaction(jws).failure?.code == .untrustedRoot)
        #expect(ReceiptVerifier(keyCache: cache).verifyTransaction(jws).failure?.code == .untrustedRoot)
    }

    @Test("[CARD-3] the cache never exceeds its capacity and evicts the least recently used key")
    func capacityIsBounded() throws {
        let authority = try #require(Fixture.authority)
        let cache = VerificationKeyCache(capacity: 3)
        let verifier = try Fixture.verifier(keyCache: cache)
        let signers = try (0..<5).map { _ in try authority.makeSigner() }
        for signer in signers {
            _ = verifier.verifyTransaction(try Fixture.jws(by: signers[0]))
            #expect(verifier.verifyTransaction(try Fixture.jws(by: signer)).verifiedPayload != nil)
            #expect(cache.statistics.entries <= 3)
        }
        #expect(cache.statistics.evictions == 2)
        let before = cache.statistics.chainValidations
        #expect(verifier.verifyTransaction(try Fixture.jws(by: signers[0])).verifiedPayload != nil)
        #expect(cache.statistics.chainValidations == before)
        #expect(verifier.verifyTransaction(try Fixture.jws(by: signers[1])).verifiedPayload != nil)
        #expect(cache.statistics.chainValidations == before + 1)
    }

    @Test("[CARD-3] concurrent callers with the same chain share one validation")
    func concurrentMissesShareOneValidation() async throws {
        for _ in 0..<20 {
            let cache = VerificationKeyCache()
            let verifier = try Fixture.verifier(keyCache: cache)
            let jws = try Fixture.jws()
            let verified = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { verifier.verifyTransaction(jws).verifiedPayload != nil } }
                return await group.reduce(into: 0) { if $1 { $0 += 1 } }
            }
            #expect(verified == 8)
            // A thread that starts after the first validation and before its key is cached validates again.
            #expect(cache.statistics.chainValidations <= 2)
            #expect(cache.statistics.entries == 1)
        }
    }

    @Test("[CARD-3] keys can be loaded, cached and removed by the functions that the source document names")
    func sourceDocumentFunctions() throws {
        let cache = VerificationKeyCache()
        #expect(throws: VerificationFailure(code: .keyNotFound)) { try cache.loadVerificationKey().get() }
        _ = try Fixture.verifier(keyCache: cache).verifyTransaction(try Fixture.jws())
        let key = try cache.loadVerificationKey().get()
        let other = VerificationKeyCache()
        other.cacheVerificationKey(key)
        #expect(try Fixture.verifier(keyCache: other).verifyTransaction(try Fixture.jws()).verifiedPayload != nil)
        #expect(other.statistics.chainValidations == 0)
        other.removeAll()
        #expect(other.keys.isEmpty)
    }
}

@Suite("Key cache file")
struct KeyCacheFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "receipt-keys-\(UUID())").path()

    private func withFilledFile(_ body: (_ path: String, _ key: SealingKey) throws -> Void) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cache = VerificationKeyCache()
        _ = try Fixture.verifier(keyCache: cache).verifyTransaction(try Fixture.jws())
        let key = try SealingKey.loadOrCreate(at: "\(folder)/keys.key")
        try cache.save(to: VerificationKeyFile("\(folder)/keys"), sealingKey: key)
        try body("\(folder)/keys", key)
    }

    @Test("[CARD-3] [OTP-9.3] a cache that is loaded from its file verifies receipts without chain validation")
    func savedKeysAreLoaded() throws {
        try withFilledFile { path, _ in
            let cache = VerificationKeyCache()
            let key = try SealingKey.loadOrCreate(at: "\(path).key")
            #expect(cache.load(from: VerificationKeyFile(path), sealingKey: key) == nil)
            #expect(try Fixture.verifier(keyCache: cache).verifyTransaction(try Fixture.jws()).verifiedPayload != nil)
            #expect(cache.statistics.chainValidations == 0)
            #expect(cache.statistics.hits == 1)
        }
    }

    @Test("[OTP-9.1] the cache file and its sealing key have mode 600, and the file contains no plain text")
    func fileIsPrivateAndSealed() throws {
        try withFilledFile { path, _ in
            for file in [path, "\(path).key"] {
                let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            let bytes = try Data(contentsOf: URL(filePath: path))
            #expect(bytes.range(of: Data("publicKey".utf8)) == nil)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(path).key")
            #expect(throws: FileError.self) { try SealingKey.loadOrCreate(at: "\(path).key") }
        }
    }

    @Test("[CARD-3] [OTP-9.1] a file that was changed, cut short, or sealed with another key is ignored with a warning")
    func damagedFilesAreIgnored() throws {
        try withFilledFile { path, key in
            let good = [UInt8](try Data(contentsOf: URL(filePath: path)))
            for index in good.indices {
                var bad = good
                bad[index] ^= 1
                let cache = VerificationKeyCache()
                #expect(try cache.load(bad, sealingKey: key) != nil, "byte \(index)")
                #expect(cache.keys.isEmpty)
            }
            for count in stride(from: 0, to: good.count, by: 7) {
                #expect(try VerificationKeyCache().load([UInt8](good[..<count]), sealingKey: key) != nil)
            }
            #expect(try VerificationKeyCache().load(good, sealingKey: try .random())?.code == .key)
        }
    }

    @Test("[CARD-3] loading a missing file leaves the cache empty, without a warning")
    func missingFileIsNoError() throws {
        let cache = VerificationKeyCache()
        #expect(cache.load(from: VerificationKeyFile("\(folder)/none"), sealingKey: try .random()) == nil)
        #expect(cache.keys.isEmpty)
    }
}

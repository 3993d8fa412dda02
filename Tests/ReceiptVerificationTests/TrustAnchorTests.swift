import ReceiptTypes
import Testing

@testable import ReceiptTestAuthority
@testable import ReceiptVerification

@Suite("Trust anchors")
struct TrustAnchorTests {
    private static func jws(_ environment: StoreEnvironment, by signer: TestSigner) throws -> String {
        var transaction = Fixture.transaction()
        transaction.environment = environment
        return try signer.sign(transaction)
    }

    private static func verifier(
        _ anchors: TrustAnchors,
        policy: VerificationPolicy = .init(),
        keyCache: VerificationKeyCache = .init()
    ) -> ReceiptVerifier {
        ReceiptVerifier(policy: policy, trustAnchors: anchors, keyCache: keyCache, clock: { Fixture.now })
    }

    private static func input(_ jws: String) -> ReceiptInput { .jws([UInt8](jws.utf8)) }

    // MARK: Environments

    @Test("[CARD-3] a key that is cached under a root without a limit is not used once the root has a limit")
    func limitAppliesToCachedKeys() throws {
        let authority = try #require(Fixture.authority)
        let cache = VerificationKeyCache()
        let jws = try Self.jws(.production, by: authority.signer)
        let anyEnvironment = Self.verifier(try Fixture.anchors(authority), keyCache: cache)
        #expect(anyEnvironment.verifyTransaction(jws).verdict == .verified)
        var limited = TrustAnchors()
        try limited.add(authority.rootCertificate, environments: [.sandbox])
        let sandbox = Self.verifier(limited, keyCache: cache)
        #expect(sandbox.verifyTransaction(jws).failure?.code == .rootEnvironmentMismatch)
        let test = try Self.jws(.sandbox, by: authority.signer)
        #expect(sandbox.verifyTransaction(test).verdict == .verified)
        #expect(sandbox.verifyTransaction(jws).failure?.code == .rootEnvironmentMismatch)
        #expect(anyEnvironment.verifyTransaction(jws).verdict == .verified)
    }

    @Test("[CARD-3] the identity of a set of roots covers limits and origin, and not the order")
    func identityCoversEverything() throws {
        let (first, second) = (try TestAuthority().rootCertificate, try TestAuthority().rootCertificate)
        func identity(_ change: (inout TrustAnchors) throws -> Void) throws -> SHA256Digest {
            var anchors = TrustAnchors()
            try change(&anchors)
            return try anchors.identity()
        }
        let both = try identity { anchors in
            try anchors.add(first)
            try anchors.add(second)
        }
        let reversed = try identity { anchors in
            try anchors.add(second)
            try anchors.add(first)
        }
        #expect(both == reversed)
        let pinned = try SHA256Digest.of(bytes: first)
        let identities = [
            try identity { try $0.add(first) },
            try identity { try $0.add(first, environments: []) },
            try identity { try $0.add(first, environments: [.sandbox]) },
            try identity { try $0.add(first, environments: [.sandbox, .production]) },
            try identity { $0.addBuiltIn(pinned, subject: "a root") },
            both,
        ]
        #expect(Set(identities).count == identities.count)
    }

    @Test("a root that is added again, also a built-in one, keeps only the environments of both limits")
    func limitsIntersect() throws {
        let root = try #require(Fixture.authority).rootCertificate
        var anchors = TrustAnchors()
        try anchors.add(root)
        try anchors.add(root, environments: [.sandbox])
        #expect(anchors.anchors.map(\.environments) == [[.sandbox]])
        try anchors.add(root)
        #expect(anchors.anchors.map(\.environments) == [[.sandbox]])
        try anchors.add(root, environments: [.production])
        #expect(anchors.anchors.map(\.environments) == [[]])
        var pinned = TrustAnchors()
        pinned.addBuiltIn(try SHA256Digest.of(bytes: root), subject: "a root")
        try pinned.add(root, environments: [.sandbox])
        #expect(pinned.anchors.map(\.environments) == [[.sandbox]])
        #expect(pinned.anchors.map(\.isBuiltIn) == [true])
    }

    @Test("[CARD-4] beside Apple's root, a given root verifies Production with a warning, and never under strictness")
    func givenRootWarnsForProduction() throws {
        let authority = try #require(Fixture.authority)
        var anchors = TrustAnchors.apple
        try anchors.add(authority.rootCertificate)
        #expect(anchors.hasUnlimitedRootBesideBuiltIn)
        let production = Self.input(try Self.jws(.production, by: authority.signer))
        let sandbox = Self.input(try Self.jws(.sandbox, by: authority.signer))
        let verifier = Self.verifier(anchors)
        // Twice, because the second time the key comes from the cache.
        for _ in 0..<2 {
            #expect(verifier.verify(production).warnings.map(\.code) == [.givenRootForProduction])
            #expect(verifier.verify(sandbox).warnings.isEmpty)
        }
        #expect(verifier.verify(production).warnings.first?.message.hasPrefix("a receipt of Production is") == true)
        let unknown = Self.input(try Self.jws(StoreEnvironment(rawValue: "New"), by: authority.signer))
        let message = verifier.verify(unknown).warnings.first?.message
        #expect(message?.hasPrefix("a receipt of an environment that is not known is signed") == true)
        let strict = VerificationPolicy(
            apps: [.init(bundleID: Fixture.bundleID)], environments: [.production, .sandbox], isStrict: true
        )
        #expect(Self.verifier(anchors, policy: strict).verify(production).failure?.code == .givenRootForProduction)
        #expect(Self.verifier(anchors, policy: strict).verify(sandbox).verdict == .verified)
        let alone = Self.verifier(try Fixture.anchors(authority), policy: strict).verify(production)
        #expect(alone.verdict == .verified)
        #expect(alone.warnings.isEmpty)
        try anchors.add(authority.rootCertificate, environments: [.production])
        #expect(!anchors.hasUnlimitedRootBesideBuiltIn)
        let confirmed = Self.verifier(anchors, policy: strict).verify(production)
        #expect(confirmed.verdict == .verified)
        #expect(confirmed.warnings.isEmpty)
    }

    // MARK: Reports

    @Test("[CARD-4] a report names the root and the leaf by digest, and a given root with Apple's name is not built in")
    func reportNamesRootAndLeaf() throws {
        var shape = CertificateShape.root
        shape.commonName = "Apple Root CA - G3"
        let impostor = try TestAuthority(root: shape)
        var anchors = TrustAnchors.apple
        try anchors.add(impostor.rootCertificate)
        let verifier = Self.verifier(anchors)
        let input = Self.input(try Self.jws(.sandbox, by: impostor.signer))
        let leaf = try #require(try Certificate(der: impostor.signer.chain[0]))
        // The first report comes from a validated chain, the second from the cache, the third from a trace.
        for report in [verifier.verify(input), verifier.verify(input), verifier.explain(input)] {
            #expect(report.verdict == .verified)
            #expect(report.anchor?.subject == "Apple Root CA - G3")
            #expect(report.anchor?.isBuiltIn == false)
            #expect(report.anchor?.fingerprint == (try SHA256Digest.of(bytes: impostor.rootCertificate)))
            #expect(
                report.leaf
                    == .init(subject: leaf.subject, serialNumber: leaf.serialNumber, fingerprint: leaf.fingerprint))
        }
        let other = Self.input(try Fixture.jws())
        let refused = verifier.verify(other)
        #expect(refused.failure?.code == .untrustedRoot)
        #expect(refused.anchor == nil)
        #expect(refused.leaf == nil)
    }

    @Test("[CARD-6] each row of a batch names the root and the leaf, in JSON and in CSV")
    func rowsNameRootAndLeaf() throws {
        let authority = try #require(Fixture.authority)
        let leaf = try SHA256Digest.of(bytes: authority.signer.chain[0]).description
        let root = try SHA256Digest.of(bytes: authority.rootCertificate).description
        let lines = try [Fixture.jws(1), Fixture.jws(2), "x"].joined(separator: "\n")
        for format in [BatchOutputFormat.jsonLines, .csv] {
            let batch = BatchVerifier(verifier: try Fixture.verifier(), output: format, jobs: 1)
            var text = ""
            _ = try batch.run([BatchSource(name: "test", bytes: [UInt8](lines.utf8))]) { rows, _ in
                text += String(decoding: rows, as: UTF8.self)
            }
            let rows = text.split(whereSeparator: \.isNewline).filter { $0.contains("test") }
            #expect(rows.count == 3)
            #expect(rows.filter { $0.contains(leaf) && $0.contains(root) }.count == 2)
        }
    }

    // MARK: Distrust

    @Test("a distrusted leaf or intermediate is rejected, even if its key is cached or comes from a file [CARD-3]")
    func distrustAppliesToCachedKeys() throws {
        let authority = try #require(Fixture.authority)
        let cache = VerificationKeyCache()
        var verifier = try Fixture.verifier(keyCache: cache)
        let jws = try Fixture.jws()
        let input = Self.input(jws)
        #expect(verifier.verify(input).verdict == .verified)
        let sealingKey = try SealingKey.random()
        let file = try KeyCacheFile.encode(cache.keys, sealingKey)
        let loaded = VerificationKeyCache()
        #expect(try loaded.load(file, sealingKey: sealingKey) == nil)
        #expect(loaded.keys == cache.keys)
        for index in 0...2 {
            let digest = try SHA256Digest.of(bytes: authority.signer.chain[index])
            verifier.policy.distrustedCertificates = [digest]
            let fresh = try Fixture.verifier(policy: verifier.policy)
            let other = try Fixture.verifier(policy: verifier.policy, keyCache: loaded)
            for verifier in [verifier, fresh, other] {
                for report in [verifier.verify(input), verifier.explain(input)] {
                    #expect(report.failure?.code == .certificateDistrusted)
                    #expect(report.failure?.certificateIndex == index)
                }
                verifier.verify([input, input]) { #expect($0.failure?.code == .certificateDistrusted) }
            }
        }
        verifier.policy.distrustedCertificates = []
        #expect(verifier.verify(input).verdict == .verified)
        #expect(cache.statistics.chainValidations == 1)
    }

    // MARK: Several roots with one name and key

    @Test("[CARD-3] a cached key keeps all roots of its chain, also through a file, so no order of receipts decides")
    func renewedRootsAreKept() throws {
        let authority = try #require(Fixture.authority)
        let shape = CertificateShape.root
        // The fixture's root and a second certificate for its name and key.
        var renewed = shape
        renewed.notAfter = Timestamp(rfc3339: "2044-01-01T00:00:00Z") ?? .maximum
        let twin = try renewed.certificate(
            for: authority.rootKey.publicKey(), issuer: shape.subject, signedBy: authority.rootKey
        )
        var anchors = TrustAnchors()
        try anchors.add(authority.rootCertificate, environments: [.sandbox])
        try anchors.add(twin, environments: [.production])
        let cache = VerificationKeyCache()
        let verifier = Self.verifier(anchors, keyCache: cache)
        let sandbox = Self.input(try Self.jws(.sandbox, by: authority.signer))
        let production = Self.input(try Self.jws(.production, by: authority.signer))
        let own = try SHA256Digest.of(bytes: authority.rootCertificate)
        let other = try SHA256Digest.of(bytes: twin)
        func check(_ verifier: ReceiptVerifier) {
            for _ in 0..<2 {
                #expect(verifier.verify(sandbox).anchor?.fingerprint == own)
                #expect(verifier.verify(production).anchor?.fingerprint == other)
            }
        }
        check(verifier)
        #expect(cache.statistics.chainValidations == 1)
        let sealingKey = try SealingKey.random()
        let loaded = VerificationKeyCache()
        _ = try loaded.load(try KeyCacheFile.encode(cache.keys, sealingKey), sealingKey: sealingKey)
        check(Self.verifier(anchors, keyCache: loaded))
        #expect(loaded.statistics.chainValidations == 0)
    }

    // MARK: Order of the checks

    @Test("[CARD-4] the key of an intermediate that the root has not signed is not used, even for an explanation")
    func strangersKeyIsNotUsed() throws {
        let authority = try TestAuthority()
        var chain = authority.signer.chain
        for index in 0...1 {
            let last = try #require(chain[index].indices.last)
            chain[index][last] ^= 1
        }
        let jws = try Fixture.jws(by: TestSigner(key: authority.signer.key, chain: chain))
        let verifier = try Fixture.verifier(signedBy: authority)
        #expect(verifier.verifyTransaction(jws).failure?.certificateIndex == 1)
        let events = verifier.explain(Self.input(jws)).trace.events.filter { $0.check == "issuer-signature" }
        #expect(events.map(\.certificateIndex) == [1, nil])
        #expect(events.map(\.outcome) == [.failed, .skipped])
        let untrusted = try Fixture.verifier().explain(Self.input(jws))
        #expect(untrusted.trace.events.filter { $0.check == "issuer-signature" }.map(\.outcome) == [.skipped])
    }

    // MARK: Hints

    @Test("the hint for a receipt without signing time and with an expired certificate names the times to try")
    func hintNamesTimes() throws {
        var leaf = CertificateShape.leaf
        leaf.notBefore = try #require(Timestamp(rfc3339: "2022-01-01T00:00:00Z"))
        leaf.notAfter = try #require(Timestamp(rfc3339: "2023-01-01T00:00:00Z"))
        let signer = try #require(Fixture.authority).makeSigner(leaf: leaf)
        let payload = #"{"notificationType":"TEST","notificationUUID":"a","version":"2.0"}"#
        let input = ReceiptInput.jws(try signer.sign(payload: [UInt8](payload.utf8)))
        var verifier = try Fixture.verifier()
        let failure = try #require(verifier.verify(input).failure)
        #expect(failure.code == .certificateExpired)
        #expect(failure.hint.contains("between 2022-01-01T00:00:00Z and 2023-01-01T00:00:00Z"))
        verifier.policy.validity = .now
        #expect(verifier.verify(input).failure?.hint == VerificationFailure.Code.certificateExpired.hint)
        verifier.policy.validity = .at(leaf.notBefore)
        #expect(verifier.verify(input).verdict == .verified)
    }
}

@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// The file of the key cache: any bytes as a file, any content that is sealed correctly, and damaged files.
///
/// The first byte of an input selects one of these.
final class KeyCacheTarget: FuzzTarget {
    static let name = "key-cache"
    static let summary = "the sealed file of the key cache: any bytes, any sealed content, damaged files"
    static let maximumLength = 4096

    private let sealingKey = must(SealingKey(bytes: [UInt8](0..<32)), "a sealing key")
    private let genuine: [UInt8]
    private let forged: [UInt8]
    private let good: [UInt8]
    private let content: [UInt8]

    init() throws {
        let signer = FixedAuthority.signers[0]
        genuine = signer.sign(payload: [UInt8](SamplePayload.transaction.utf8))
        let stranger = FixedAuthority.Signer(key: FixedKey("stranger"), chain: signer.chain)
        forged = stranger.sign(payload: [UInt8](SamplePayload.transaction.utf8))
        let checker = try VerdictChecker()
        for signer in FixedAuthority.signers.prefix(2) {
            _ = checker.verifier.verify(.jws(signer.sign(payload: [UInt8](SamplePayload.transaction.utf8))))
        }
        requireEqual(checker.verifier.keyCache.keys.count, 2, "the fuzz target is broken: keys in the cache")
        let entries = JSONValue.array(checker.verifier.keyCache.keys.map(\.json))
        content = [UInt8](JSONValue.object(["entries": entries]).description.utf8)
        good = try Self.seal(content, sealingKey)
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        let empty = [UInt8](#"{"entries":[]}"#.utf8)
        return [
            ("file", [0] + good), ("file-head", [0] + good.prefix(29)), ("content", [1] + content),
            ("content-empty", [1] + empty), ("content-none", [1]), ("content-number", [1, 0x31]),
            ("damaged-version", [2, 0, 8, 2]), ("damaged-tag", [2, 0xFF, 0xFF, 1]), ("cut", [3, 1]),
            ("longer", [4, 0]),
        ]
    }

    func run(_ input: [UInt8]) throws {
        var choices = Choices(input)
        switch choices.number(below: 5) {
        case 0: try loadUnsigned(choices.remainder())
        case 1: try loadSealed(choices.remainder())
        case 2:
            var file = good
            while !choices.isAtEnd {
                file[(Int(choices.byte()) << 8 | Int(choices.byte())) % file.count] ^= choices.byte()
            }
            try loadUnsigned(file)
        case 3: try loadUnsigned([UInt8](good.dropLast(Int(choices.byte()) << 8 | Int(choices.byte()))))
        default: try loadUnsigned(good + choices.remainder())
        }
    }

    /// Checks that no file is loaded except the one that was sealed.
    private func loadUnsigned(_ file: [UInt8]) throws {
        let cache = VerificationKeyCache()
        let warning = try cache.load(file, sealingKey: sealingKey)
        requireEqual(warning == nil, file == good, "whether a file is loaded")
        requireEqual(cache.keys.count, warning == nil ? 2 : 0, "the keys of a file")
        requireEqual(
            try cache.load(file, sealingKey: SealingKey(bytes: [UInt8](1..<33)) ?? sealingKey) == nil, false,
            "whether a file is loaded with a different sealing key")
    }

    /// Checks any content that is sealed correctly: the owner of the sealing key may store any public keys, but no
    /// content may crash the process, and the loaded keys can be written and read back.
    private func loadSealed(_ text: [UInt8]) throws {
        let cache = VerificationKeyCache(capacity: 8)
        let warning = try cache.load(Self.seal(text, sealingKey), sealingKey: sealingKey)
        let keys = cache.keys
        require(keys.count <= 8, "more keys than the cache has room for")
        if let warning {
            require(keys.isEmpty, "an ignored file added keys")
            requireEqual(warning.code, .content, "the code of ignored content")
        }
        let again = VerificationKeyCache(capacity: 8)
        let written = try KeyCacheFile.encode(keys, sealingKey)
        require(try again.load(written, sealingKey: sealingKey) == nil, "keys that were written cannot be read")
        requireEqual(again.keys.map(\.json), keys.map(\.json), "keys, written and read back")
        try verify(with: cache, isGenuine: text == content)
    }

    /// Checks receipts with the loaded cache: a forged one is rejected, unless the file contained the forger's key.
    private func verify(with cache: VerificationKeyCache, isGenuine: Bool) throws {
        let verifier = ReceiptVerifier(
            trustAnchors: FixedAuthority.anchors, keyCache: cache, clock: { VerdictChecker.clock }
        )
        let forgersKey = FixedKey("stranger").subjectPublicKeyInfo
        let containsForgersKey = cache.keys.contains { $0.publicKey?.derRepresentation == forgersKey }
        for jws in [genuine, forged] {
            let report = verifier.verify(.jws(jws))
            require(report.failure?.code != .internalError, "an internal error of the verifier")
            require(
                report.verdict != .verified || jws == genuine || containsForgersKey, "a forged receipt is verified")
            require(!isGenuine || jws == forged || report.verdict == .verified, "a genuine JWS is rejected")
        }
    }

    /// Returns the file with a fixed nonce, so that an input always means the same file.
    private static func seal(_ content: [UInt8], _ key: SealingKey) throws -> [UInt8] {
        let head =
            [UInt8]("RVKCACHE".utf8) + [2] + (try key.identifier()) + [UInt8](repeating: 7, count: Seal.nonceCount)
        return head
            + (try Seal.seal(content, associated: head, key: key.bytes, nonce: [UInt8](head.suffix(Seal.nonceCount))))
    }
}

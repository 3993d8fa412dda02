internal import ReceiptTypes

/// The format of the key cache file, version 2.
///
/// | bytes | content |
/// | --- | --- |
/// | 8 | `RVKCACHE` |
/// | 1 | version, 2 |
/// | 8 | the first bytes of the SHA-256 of the sealing key |
/// | 12 | nonce |
/// | … | the keys as JSON, encrypted with AES-256-GCM |
/// | 16 | tag over all bytes before it |
///
/// A file of another version is not used.
enum KeyCacheFile {
    private static let magic = [UInt8]("RVKCACHE".utf8)
    private static let version: UInt8 = 2
    private static let identifierRange = 9..<17
    private static let nonceRange = 17..<29
    private static let headerCount = 29
    private static let maximumDepth = 8

    /// The keys of a file, or the reason why it is not used.
    enum Content {
        case keys([VerificationKey])
        case ignored(KeyCacheWarning)
    }

    static func encode(_ keys: [VerificationKey], _ sealingKey: SealingKey) throws(CryptoFault) -> [UInt8] {
        var plaintext: [UInt8] = []
        JSONText.append(.object(["entries": .array(keys.map(\.json))]), to: &plaintext)
        let nonce = try OpenSSL.randomBytes(Seal.nonceCount)
        let header = magic + [version] + (try sealingKey.identifier()) + nonce
        return header + (try Seal.seal(plaintext, associated: header, key: sealingKey.bytes, nonce: nonce))
    }

    static func decode(_ bytes: [UInt8], _ sealingKey: SealingKey) throws(CryptoFault) -> Content {
        let beginning = bytes.prefix(magic.count)
        guard magic.starts(with: beginning), bytes.count <= Budget.keyCacheFileSize else { return ignored(.foreign) }
        guard bytes.count >= headerCount + Seal.tagCount else { return ignored(.truncated) }
        guard bytes[magic.count] == version else { return ignored(.version) }
        guard bytes[identifierRange].elementsEqual(try sealingKey.identifier()) else { return ignored(.key) }
        let plaintext = try Seal.open(
            [UInt8](bytes[headerCount...]),
            associated: [UInt8](bytes[..<headerCount]),
            key: sealingKey.bytes,
            nonce: [UInt8](bytes[nonceRange])
        )
        guard let plaintext else { return ignored(.damaged) }
        return keys(in: plaintext).map(Content.keys) ?? ignored(.content)
    }

    private static func keys(in plaintext: [UInt8]) -> [VerificationKey]? {
        let value = try? plaintext.withRawSpan { (span) throws(JSONDocument.Fault) in
            let document = try JSONDocument(parsing: span, maximumDepth: maximumDepth)
            return document.root.value
        }
        guard let entries = value?.object?["entries"]?.elements else { return nil }
        var keys: [VerificationKey] = []
        for entry in entries {
            guard let key = VerificationKey(json: entry) else { return nil }
            keys.append(key)
        }
        return keys
    }

    private static func ignored(_ code: KeyCacheWarning.Code) -> Content { .ignored(KeyCacheWarning(code: code)) }
}

extension VerificationKeyCache {
    /// Adds the keys in the bytes of a file.
    package func load(_ bytes: [UInt8], sealingKey: SealingKey) throws(CryptoFault) -> KeyCacheWarning? {
        switch try KeyCacheFile.decode(bytes, sealingKey) {
        case .ignored(let warning): return warning
        case .keys(let keys):
            for key in keys { cacheVerificationKey(key) }
            return nil
        }
    }
}

/// The AES-256 key under which a key cache file is encrypted and authenticated.
///
/// Keep it apart from the file: an attacker with both can put keys into the cache. <doc:KeyCacheFiles> says where.
public struct SealingKey: Sendable {
    let bytes: [UInt8]

    /// Creates a key from 32 bytes; nil for another number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Seal.keyCount else { return nil }
        self.bytes = bytes
    }

    /// Creates a random key.
    public static func random() throws(CryptoFault) -> SealingKey {
        guard let key = SealingKey(bytes: try OpenSSL.randomBytes(Seal.keyCount)) else { throw .libraryFailure }
        return key
    }

    /// Returns the first bytes of the key's SHA-256 digest, which identify the key in a file and do not reveal it.
    func identifier() throws(CryptoFault) -> [UInt8] {
        let digest = try bytes.withRawSpan { (span) throws(CryptoFault) in try SHA256Digest.of(span) }
        return [UInt8](digest.bytes.prefix(8))
    }
}

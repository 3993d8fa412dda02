/// The AES-256 key under which a file, such as that of a key cache, is encrypted and authenticated.
///
/// Keep it apart from the file: an attacker with both can put keys into the cache. <doc:KeyCacheFiles> says where.
public struct SealingKey: Sendable, Hashable {
    package let bytes: [UInt8]

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

    /// The number of bytes in an ``identifier()``.
    package static let identifierCount = 8

    /// Returns the first bytes of the key's SHA-256 digest, which identify the key in a file and do not reveal it.
    package func identifier() throws(CryptoFault) -> [UInt8] {
        let digest = try bytes.withRawSpan { (span) throws(CryptoFault) in try SHA256Digest.of(span) }
        return [UInt8](digest.bytes.prefix(Self.identifierCount))
    }
}

/// The AES-256 key under which a key cache file is encrypted and authenticated.
///
/// It belongs in a place of its own: whoever has both it and the file can put keys into the cache.
public struct SealingKey: Sendable {
    let bytes: [UInt8]

    /// Takes 32 bytes; nil for another number.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Seal.keyCount else { return nil }
        self.bytes = bytes
    }

    /// Makes a new key.
    public static func random() throws(CryptoFault) -> SealingKey {
        guard let key = SealingKey(bytes: try OpenSSL.randomBytes(Seal.keyCount)) else { throw .libraryFailure }
        return key
    }

    /// Reads a key file, or makes one with mode 0600 where there is none.
    ///
    /// A file that others may read, or that holds no key, is refused.
    public static func loadOrCreate(at path: String) throws(FileError) -> SealingKey {
        if let bytes = try PrivateFile.read(path, maximumCount: 4096) {
            guard let key = SealingKey(bytes: bytes) else {
                throw FileError(code: .notAKey, path: path)
            }
            return key
        }
        guard let key = try? random() else { throw FileError(code: .outOfResources, path: path) }
        try PrivateFile.create(path, key.bytes)
        return key
    }

    /// Names the key in a file without giving it away: the first bytes of its digest.
    func identifier() throws(CryptoFault) -> [UInt8] {
        let digest = try bytes.withRawSpan { (span) throws(CryptoFault) in try SHA256Digest.of(span) }
        return [UInt8](digest.bytes.prefix(8))
    }
}

/// A place that stores the sealed bytes of a key cache.
///
/// ``VerificationKeyFile`` stores them in a file. Other implementations can use a database or a key chain: the bytes
/// are encrypted and authenticated, so a storage can only lose them or return earlier ones.
public protocol VerificationKeyStorage: Sendable {
    /// Returns the stored bytes; nil if nothing is stored.
    ///
    /// - Throws: The reason why the stored bytes are not used.
    func load() throws(KeyCacheWarning) -> [UInt8]?

    /// Stores bytes in the place of those that are stored.
    func save(_ sealed: [UInt8]) throws(KeyCacheWarning)
}

extension VerificationKeyCache {
    /// Adds the keys that ``save(to:sealingKey:)`` stored.
    ///
    /// - Returns: The reason why the stored keys were not used; nil if they were added, or if nothing is stored. The
    ///   cache works without them.
    public func load(from storage: some VerificationKeyStorage, sealingKey: SealingKey) -> KeyCacheWarning? {
        do throws(KeyCacheWarning) {
            guard let bytes = try storage.load() else { return nil }
            do throws(CryptoFault) {
                return try load(bytes, sealingKey: sealingKey)
            } catch {
                throw KeyCacheWarning(code: .unreadable, detail: "out of memory")
            }
        } catch {
            return error
        }
    }

    /// Stores all keys, encrypted and authenticated, in the place of those that are stored.
    public func save(to storage: some VerificationKeyStorage, sealingKey: SealingKey) throws(KeyCacheWarning) {
        guard let bytes = try? KeyCacheFile.encode(keys, sealingKey) else {
            throw KeyCacheWarning(code: .unwritable, detail: "out of memory")
        }
        try storage.save(bytes)
    }
}

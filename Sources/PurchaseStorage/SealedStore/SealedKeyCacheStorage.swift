public import PurchaseCore
internal import ReceiptTypes
public import ReceiptVerification

/// Keeps the keys of a `VerificationKeyCache` in a sealed store, so that receipts are verified offline after a restart.
///
/// ```swift
/// let storage = try await store.keyCacheStorage()
/// let cache = VerificationKeyCache()
/// if let warning = cache.load(from: storage, sealingKey: storage.sealingKey) { log(warning.message) }
/// try cache.save(to: storage, sealingKey: storage.sealingKey)
/// ```
///
/// The cache seals its keys with ``sealingKey``, a random key that is a value of the same store. A rotation of the
/// store covers both, and ``SealedStore/removeAll()`` removes both.
public struct SealedKeyCacheStorage: VerificationKeyStorage {
    /// The key with which the cache seals its keys.
    public let sealingKey: SealingKey
    private let folder: SealedFolder
    private let ring: Locked<SealingKeyRing?>
    private let name: [UInt8]

    init(sealingKey: SealingKey, folder: SealedFolder, ring: Locked<SealingKeyRing?>, name: [UInt8]) {
        self.sealingKey = sealingKey
        self.folder = folder
        self.ring = ring
        self.name = name
    }

    /// Returns the stored bytes; nil if nothing is stored.
    ///
    /// - Throws: A warning with the code `cache-key` if another process has rotated the store's key and the store has
    ///   not been used since, `cache-damaged` if the value is not the one that was stored last, and `cache-unreadable`
    ///   otherwise.
    public func load() throws(KeyCacheWarning) -> [UInt8]? {
        do throws(SealedStoreError) {
            return try folder.value(of: name, try keys())
        } catch {
            throw KeyCacheWarning(error, otherwise: .unreadable)
        }
    }

    /// Stores bytes in the place of those that are stored.
    public func save(_ sealed: [UInt8]) throws(KeyCacheWarning) {
        do throws(SealedStoreError) {
            _ = try folder.set(name, to: sealed, isReplacing: true, try keys())
        } catch {
            throw KeyCacheWarning(error, otherwise: .unwritable)
        }
    }

    private func keys() throws(SealedStoreError) -> SealingKeyRing {
        guard let ring = ring.withLock({ $0 }) else {
            throw SealedStoreError(.keyUnknown, "the store has not been used yet")
        }
        return ring
    }
}

extension KeyCacheWarning {
    fileprivate init(_ error: SealedStoreError, otherwise code: Code) {
        let code: Code =
            switch error.code {
            case .keyUnknown: .key
            case .damaged, .truncated, .swapped, .rolledBack, .missingFile: .damaged
            case .untrusted: .untrusted
            default: code
            }
        self.init(code: code, detail: error.message)
    }
}

extension SealedStore {
    /// Returns a storage for a key cache, with a sealing key that the store keeps; the first call makes that key.
    ///
    /// - Parameter name: The name of the value with the cache; the value with its key has `.key` appended.
    public func keyCacheStorage(
        name: String = "verification-keys"
    ) async throws(SealedStoreError) -> SealedKeyCacheStorage {
        let new: [UInt8]
        do throws(CryptoFault) {
            new = try SealingKey.random().bytes
        } catch {
            throw SealedStoreError(error)
        }
        let bytes = try await value(of: name + ".key", orSet: new)
        guard let key = SealingKey(bytes: bytes) else {
            throw SealedStoreError(.damaged, "the value \(name).key is not a sealing key")
        }
        return SealedKeyCacheStorage(
            sealingKey: key, folder: folder, ring: ring, name: try folder.limits.bytes(of: name))
    }
}

public import PurchaseCore
public import ReceiptVerification

/// The port to the place that keeps the keys of a sealed store, apart from its folder.
///
/// The store calls it without holding a lock, waits for each answer until its deadline, and keeps the keys in memory;
/// it asks again when it meets a file under a key that it does not know.
public protocol SealingKeyProvider: Sendable {
    /// Returns the keys, and makes the first one if there is none.
    func keys() async throws(SealedStoreError) -> SealingKeys

    /// Makes a new current key, and returns the keys; the key that was current is now an earlier one.
    ///
    /// When it returns, the new key and the earlier ones are durable. Without an implementation, it throws
    /// ``SealedStoreErrorCode/rotationUnsupported``.
    func makeKey() async throws(SealedStoreError) -> SealingKeys

    /// Deletes earlier keys, which seal no file any more; the current key stays even if it is among them.
    ///
    /// Without an implementation, nothing happens.
    func forget(_ keys: [SealingKey]) async throws(SealedStoreError)
}

extension SealingKeyProvider {
    /// Throws ``SealedStoreErrorCode/rotationUnsupported``.
    public func makeKey() async throws(SealedStoreError) -> SealingKeys {
        throw SealedStoreError(.rotationUnsupported, "the key provider makes no keys")
    }

    /// Does nothing.
    public func forget(_ keys: [SealingKey]) async throws(SealedStoreError) {}
}

/// The keys that a provider keeps for one sealed store.
public struct SealingKeys: Sendable, Hashable {
    /// The key that seals a new store, and all values after a rotation.
    public let current: SealingKey
    /// The keys that can still seal values, because a rotation has not ended; without ``current`` and without
    /// duplicates.
    public let earlier: [SealingKey]

    /// Creates keys.
    public init(current: SealingKey, earlier: [SealingKey] = []) {
        self.current = current
        var seen: Set = [current]
        self.earlier = earlier.filter { seen.insert($0).inserted }
    }
}

/// The keys that the app gives, such as those that it derives from a password or gets from its server.
///
/// To change the key, give the new one as ``SealingKeys/current`` and the old one as an earlier one, and call
/// ``SealedStore/reseal()``; then the old key is no longer needed.
public struct GivenSealingKeys: SealingKeyProvider {
    private let given: SealingKeys

    /// Creates a provider of these keys.
    public init(current: SealingKey, earlier: [SealingKey] = []) {
        given = SealingKeys(current: current, earlier: earlier)
    }

    /// Returns the given keys.
    public func keys() -> SealingKeys { given }
}

/// The keys as a store looks them up: by the identifier that a file names.
struct SealingKeyRing: Sendable {
    let keys: SealingKeys
    /// Whether the provider has returned the keys for the operation that is running.
    let isFresh: Bool
    private let byIdentifier: [[UInt8]: SealingKey]

    /// Keys that the provider has returned just now.
    init(_ keys: SealingKeys) throws(SealedStoreError) {
        var byIdentifier: [[UInt8]: SealingKey] = [:]
        for key in [keys.current] + keys.earlier {
            do throws(CryptoFault) {
                byIdentifier[try key.identifier()] = key
            } catch {
                throw SealedStoreError(error)
            }
        }
        self.keys = keys
        self.byIdentifier = byIdentifier
        isFresh = true
    }

    private init(cached ring: SealingKeyRing) {
        keys = ring.keys
        byIdentifier = ring.byIdentifier
        isFresh = false
    }

    /// The same keys for a later operation, in which they can be outdated.
    var cached: SealingKeyRing { SealingKeyRing(cached: self) }

    func key(_ identifier: [UInt8]) -> SealingKey? { byIdentifier[identifier] }
}

extension SealingKey {
    /// The identifier in hexadecimal digits, as the places of keys name a key.
    func identifierText() throws(SealedStoreError) -> String {
        do throws(CryptoFault) {
            return try identifier().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        } catch {
            throw SealedStoreError(error)
        }
    }
}

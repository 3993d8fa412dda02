public import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification

/// Keeps secrets and other small values in a folder, each one encrypted and authenticated with AES-256-GCM.
///
/// A value that was edited, cut, exchanged with another one or replaced with an earlier one is an error, and so is a
/// folder in which some files are older than the others. <doc:TheSealedStore> says what the store protects against.
///
/// ```swift
/// let keys = SealingKeyFile("/var/lib/notes/state/sealing.key")
/// let store = try SealedStore(folder: "/var/lib/notes/secrets", keys: keys)
/// try await store.set(token, for: "sync-token")
/// let restored = try await store.value(of: "sync-token")
/// ```
///
/// Any number of stores, in any number of processes, can use one folder at the same time. A change is durable and
/// visible to all of them when its call returns; a process that is killed leaves either the old values or the new ones.
/// A change waits up to ten seconds for changes by others, in a queue, and then throws ``SealedStoreErrorCode/busy``.
/// It waits on a thread of the store's own, so that other tasks go on.
public actor SealedStore {
    private let executor = ThreadExecutor()
    /// The thread of the store.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The largest number of values: 1,024.
    public static let maximumValueCount = 1024
    /// The largest number of bytes of a value: 8 MiB.
    public static let maximumValueSize = 8_388_608
    /// The largest number of UTF-8 bytes of a name: 1,024.
    public static let maximumNameSize = 1024
    /// The longest wait for the place of the keys unless an app says otherwise: 30,000 milliseconds.
    public static let defaultKeyDeadline: Int64 = 30_000

    let folder: SealedFolder
    private let provider: any SealingKeyProvider
    /// The names of the values that an app can read and not change.
    private let reserved: Set<[UInt8]>
    private let deadline: Int64
    private let environment: PurchaseEnvironment
    /// The keys that the provider has returned last; a ``SealedKeyCacheStorage`` of this store shares them.
    let ring = Locked<SealingKeyRing?>(nil)

    /// Opens a folder, and creates it with mode 0700 if it does not exist.
    ///
    /// - Parameters:
    ///   - folder: The folder, which contains nothing else. The keys are not in it.
    ///   - keys: The place of the keys.
    ///   - keyDeadline: The longest time, in milliseconds, that the store waits for the place of the keys.
    ///   - environment: The timer of the deadline.
    /// - Throws: ``SealedStoreError``, with the code `untrusted` if other users can change the folder or its path.
    public init(
        folder: String, keys: some SealingKeyProvider, keyDeadline: Int64 = SealedStore.defaultKeyDeadline,
        environment: PurchaseEnvironment = .system
    ) throws(SealedStoreError) {
        try self.init(folder: folder, keys: keys, reserving: [], keyDeadline: keyDeadline, environment: environment)
    }

    /// - Parameter names: The names of the values that ``set(_:for:)`` and ``remove(_:)`` reject and that
    ///   ``removeAll()`` keeps.
    package init(
        folder: String, keys: some SealingKeyProvider, reserving names: [String],
        keyDeadline: Int64 = SealedStore.defaultKeyDeadline, environment: PurchaseEnvironment = .system
    ) throws(SealedStoreError) {
        try self.init(
            SealedFolder(path: folder, limits: SealedStoreLimits(), step: {}), keys: keys, reserving: names,
            keyDeadline: keyDeadline, environment: environment)
    }

    init(
        _ folder: SealedFolder, keys: some SealingKeyProvider, reserving names: [String] = [],
        keyDeadline: Int64 = SealedStore.defaultKeyDeadline, environment: PurchaseEnvironment = .system
    ) throws(SealedStoreError) {
        try folder.create()
        self.folder = folder
        provider = keys
        reserved = Set(names.map { [UInt8]($0.utf8) })
        deadline = keyDeadline
        self.environment = environment
    }

    // MARK: Values

    /// Returns a value; nil if the store has no value of this name.
    ///
    /// Names are compared byte by byte.
    ///
    /// - Throws: ``SealedStoreError``, with the code `damaged`, `truncated`, `swapped`, `rolled-back` or `missing-file`
    ///   if the value is not the one that was stored last.
    public func value(of name: String) async throws(SealedStoreError) -> [UInt8]? {
        let name = try folder.limits.bytes(of: name)
        return try await withKeys { folder, ring throws(SealedStoreError) in try folder.value(of: name, ring) }
    }

    /// Returns a value; if the store has no value of this name, stores the given one and returns it.
    ///
    /// Of several processes that do so at the same time, one stores its value and all get that one.
    public func value(of name: String, orSet bytes: [UInt8]) async throws(SealedStoreError) -> [UInt8] {
        let name = try folder.limits.bytes(of: name)
        return try await withKeys { folder, ring throws(SealedStoreError) in
            if let value = try folder.value(of: name, ring) { return value }
            return try folder.set(name, to: bytes, isReplacing: false, ring)
        }
    }

    /// Stores a value in the place of the one of this name.
    ///
    /// - Throws: ``SealedStoreError``, with the code `name-too-long`, `value-too-large` or `full` at a limit, with
    ///   `reserved-name` for the key of the database in the store of `PurchaseFiles`, and with `unwritable` if the disk
    ///   is full or the folder cannot be written. The values are then the same as before.
    public func set(_ bytes: [UInt8], for name: String) async throws(SealedStoreError) {
        let name = try nameToChange(name)
        _ = try await withKeys { folder, ring throws(SealedStoreError) in
            try folder.set(name, to: bytes, isReplacing: true, ring)
        }
    }

    /// Removes a value; nothing happens if the store has no value of this name.
    ///
    /// - Throws: ``SealedStoreError``, with the code `reserved-name` for the key of the database in the store of
    ///   `PurchaseFiles`.
    public func remove(_ name: String) async throws(SealedStoreError) {
        let name = try nameToChange(name)
        try await withKeys { folder, ring throws(SealedStoreError) in try folder.remove(name, ring) }
    }

    /// Removes all values, also those that cannot be read, so that the store can be used again.
    ///
    /// A database whose key was among them cannot be read any more. The store of `PurchaseFiles` keeps that key, and
    /// throws an error, without a change, if its manifest or counter cannot be read.
    public func removeAll() async throws(SealedStoreError) {
        try await withKeys { folder, ring throws(SealedStoreError) in try folder.removeAll(keeping: reserved, ring) }
    }

    /// Returns the bytes of a name whose value an app can change.
    private func nameToChange(_ name: String) throws(SealedStoreError) -> [UInt8] {
        let bytes = try folder.limits.bytes(of: name)
        if reserved.contains(bytes) { throw SealedStoreError(.reservedName, "the value \(name) is not the app's") }
        return bytes
    }

    /// Returns the names of all values, in the order of their UTF-8 bytes.
    public func names() async throws(SealedStoreError) -> [String] {
        try await withKeys { folder, ring throws(SealedStoreError) in try folder.names(ring) }
    }

    // MARK: Keys

    /// Makes a new key, seals all values with it, and deletes the earlier keys.
    ///
    /// A process that is killed in between leaves a store that can be read; ``reseal()`` or another rotation ends what
    /// it has begun. Copies of the folder that were made before the rotation cannot be read after it.
    ///
    /// - Throws: ``SealedStoreError``, with the code `rotation-unsupported` if the provider makes no keys. If a value
    ///   cannot be read, no value changes and the earlier keys stay.
    public func rotateKey() async throws(SealedStoreError) {
        _ = try await ask { provider throws(SealedStoreError) in try await provider.makeKey() }
        try await reseal()
    }

    /// Seals all values with the current key of the provider and deletes the earlier keys; nothing happens if that is
    /// done.
    ///
    /// Call it when the app starts, in case a rotation was interrupted, and after the app has given another current
    /// key.
    public func reseal() async throws(SealedStoreError) {
        let used = try await withFreshKeys { folder, ring throws(SealedStoreError) in
            try folder.reseal(ring)
            return ring.keys
        }
        guard !used.earlier.isEmpty else { return }
        try await ask { provider throws(SealedStoreError) in try await provider.forget(used.earlier) }
        // Without the earlier keys.
        _ = try await loadKeys()
    }

    /// Runs an operation with the keys in memory, and again with those of the provider if it meets an unknown key.
    private func withKeys<Value: Sendable>(
        _ body: (SealedFolder, SealingKeyRing) throws(SealedStoreError) -> Value
    ) async throws(SealedStoreError) -> Value {
        guard let cached = ring.withLock({ $0 }) else { return try await withFreshKeys(body) }
        do throws(SealedStoreError) {
            return try body(folder, cached)
        } catch {
            guard error.code == .keyUnknown else { throw error }
        }
        return try await withFreshKeys(body)
    }

    /// Runs an operation with the keys of the provider, and again whenever a rotation has ended in between.
    ///
    /// An operation that waits for other processes can miss several rotations in a row. The bound is for a provider
    /// that returns other keys each time.
    private func withFreshKeys<Value: Sendable>(
        _ body: (SealedFolder, SealingKeyRing) throws(SealedStoreError) -> Value
    ) async throws(SealedStoreError) -> Value {
        var ring = try await loadKeys()
        for _ in 1..<folder.limits.keyAttempts {
            do throws(SealedStoreError) {
                return try body(folder, ring)
            } catch {
                guard error.code == .keyUnknown else { throw error }
                let fresh = try await loadKeys()
                guard fresh.keys != ring.keys else { throw error }
                ring = fresh
            }
        }
        return try body(folder, ring)
    }

    @discardableResult
    func loadKeys() async throws(SealedStoreError) -> SealingKeyRing {
        let keys = try await ask { provider throws(SealedStoreError) in try await provider.keys() }
        let fresh = try SealingKeyRing(keys)
        ring.withLock { $0 = fresh.cached }
        return fresh
    }

    /// Waits for an answer of the key provider, at most until the deadline.
    private func ask<Answer: Sendable>(
        _ call: @escaping @Sendable (any SealingKeyProvider) async throws(SealedStoreError) -> Answer
    ) async throws(SealedStoreError) -> Answer {
        try await environment.timer.keyAnswer(within: deadline) { [provider] () throws(SealedStoreError) in
            try await call(provider)
        }
    }
}

public import PurchaseCore
public import ReceiptVerification

/// The keys of a sealed store in the Keychain of an Apple system; it cannot be created on another one.
///
/// ```swift
/// let keys = KeychainSealingKeys(service: "com.example.notes.secrets")
/// let purchases = try await PurchaseStack(setup, in: folder, keys: keys)
/// ```
///
/// The keys are available after the first unlock of the device. They are neither synchronized nor part of a backup: on
/// a device that is restored from the backup of another one, the values of the store have an unknown key.
///
/// On macOS, the keys are in the data protection keychain, which needs an app with the entitlement for it. Any other
/// program keeps its keys in a ``SealingKeyFile``.
///
/// Each key is an item of its own, which is added and deleted but never changed. The items are numbered, and the
/// highest number is the current key. Of processes that add the same number, one succeeds and the others take the next
/// one, so none of their keys is lost.
public struct KeychainSealingKeys: SealingKeyProvider {
    private let items: any KeychainItems

    init(_ items: any KeychainItems) {
        self.items = items
    }

    #if canImport(Security)
        /// Names the items of one store.
        ///
        /// - Parameters:
        ///   - service: The service attribute of the items, one for each store: `com.example.notes.secrets`.
        ///   - accessGroup: The access group that an app and its extensions share if they share the folder of the
        ///     store; nil if only the app uses it.
        public init(service: String, accessGroup: String? = nil) {
            self.init(AppleKeychain(service: service, accessGroup: accessGroup))
        }
    #endif

    /// Returns the keys of the Keychain, and makes the first one if there is none.
    ///
    /// - Throws: ``SealedStoreError``, with the code `keys-locked` before the first unlock of the device, with
    ///   `keys-unavailable` if the app may not use the Keychain or the access group, and with `not-a-key` if something
    ///   else has the place of a key.
    public func keys() async throws(SealedStoreError) -> SealingKeys {
        try await onThread { (items) throws(KeychainFailure) in try Self.keys(in: items) }
    }

    /// Makes a new current key; several processes can do so at the same time.
    public func makeKey() async throws(SealedStoreError) -> SealingKeys {
        try await onThread { (items) throws(KeychainFailure) in try Self.makeKey(in: items) }
    }

    /// Deletes the items of earlier keys.
    public func forget(_ keys: [SealingKey]) async throws(SealedStoreError) {
        try await onThread { (items) throws(KeychainFailure) in try Self.forget(keys, in: items) }
    }

    // MARK: Items

    /// The attempts to read or add keys while other processes change them.
    private static let attemptLimit = 100

    static func keys(in items: any KeychainItems) throws(KeychainFailure) -> SealingKeys {
        if let keys = try SealingKeys(numbered(in: items)) { return keys }
        // If another process is first, its key is the one that counts.
        _ = try items.add(randomKey().bytes, as: "1")
        return try keptKeys(in: items)
    }

    static func makeKey(in items: any KeychainItems) throws(KeychainFailure) -> SealingKeys {
        let key = try randomKey()
        for _ in 0..<attemptLimit {
            let (number, overflows) = (try numbered(in: items).last?.number ?? 0).addingReportingOverflow(1)
            guard !overflows else { throw .noNextNumber }
            if try items.add(key.bytes, as: "\(number)") { return try keptKeys(in: items) }
        }
        throw .changing
    }

    static func forget(_ keys: [SealingKey], in items: any KeychainItems) throws(KeychainFailure) {
        for item in try numbered(in: items).dropLast() where keys.contains(item.key) {
            try items.delete("\(item.number)")
        }
    }

    private static func keptKeys(in items: any KeychainItems) throws(KeychainFailure) -> SealingKeys {
        guard let keys = try SealingKeys(numbered(in: items)) else { throw .notKept }
        return keys
    }

    private static func randomKey() throws(KeychainFailure) -> SealingKey {
        guard let key = try? SealingKey.random() else { throw .outOfMemory }
        return key
    }

    /// Returns the keys of all items, in the order of their numbers.
    private static func numbered(in items: any KeychainItems) throws(KeychainFailure) -> [NumberedKey] {
        for _ in 0..<attemptLimit {
            let names = try items.names()
            guard Set(names).count == names.count else { throw .severalGroups }
            var keys: [NumberedKey] = []
            for name in names {
                // Another process can have deleted it in between, and added a later one that is not among the names.
                guard let content = try items.content(of: name) else { break }
                guard let number = UInt64(name), "\(number)" == name, let key = SealingKey(bytes: content) else {
                    throw .notAKey(name)
                }
                keys.append(NumberedKey(number: number, key: key))
            }
            if keys.count == names.count { return keys.sorted { $0.number < $1.number } }
        }
        throw .changing
    }

    /// Runs an operation on a thread of its own, because its calls wait for another process.
    private func onThread<Answer: Sendable>(
        _ operation: @escaping @Sendable (any KeychainItems) throws(KeychainFailure) -> Answer
    ) async throws(SealedStoreError) -> Answer {
        let result = await OpenSSL.onThread { [items] () -> Result<Answer, KeychainFailure> in
            do throws(KeychainFailure) {
                return .success(try operation(items))
            } catch {
                return .failure(error)
            }
        }
        do throws(KeychainFailure) {
            return try result.get()
        } catch {
            throw SealedStoreError(error, of: items.service)
        }
    }
}

/// A key with the number in the name of its item.
private struct NumberedKey {
    let number: UInt64
    let key: SealingKey
}

extension SealingKeys {
    /// The keys of items in the order of their numbers; nil if there is none.
    fileprivate init?(_ numbered: [NumberedKey]) {
        guard let current = numbered.last else { return nil }
        self.init(current: current.key, earlier: numbered.dropLast().reversed().map(\.key))
    }
}

extension SealedStoreError {
    /// Creates the error for a failure of the Keychain.
    fileprivate init(_ failure: KeychainFailure, of service: String) {
        let (code, reason): (Code, String) =
            switch failure {
            case .locked: (.keysLocked, "the Keychain is locked")
            case .notEntitled: (.keysUnavailable, "the program has no entitlement for the Keychain or the access group")
            case .outOfMemory: (.outOfResources, "out of memory")
            case .reported(let status): (.keysUnavailable, "the Keychain has reported the error \(status)")
            case .notAKey(let name): (.notAKey, "the item \(name) is not a key")
            case .severalGroups: (.keysUnavailable, "two access groups have a key of one number, so name the group")
            case .notKept: (.keysUnavailable, "the Keychain has not kept a new key")
            case .noNextNumber: (.full, "the latest key has no next number")
            case .changing: (.busy, "other processes change the keys")
            }
        self.init(code, "the keys of \(service) cannot be used: \(reason)", underlying: failure)
    }
}

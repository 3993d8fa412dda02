public import PurchaseCore
public import ReceiptVerification

/// The keys of a sealed store in files with mode 0600, in a folder that only the user and root can change.
///
/// The file at the path contains the current key. During a rotation, each earlier key is in a file beside it, whose
/// name has `.earlier-` and the key's identifier appended. Put the file into another folder than the store's, and leave
/// it out of the backups of the store: a process that reads both can read and forge all values. Each store needs a file
/// of its own, because a rotation of one store deletes the earlier keys, which another store would still need.
public struct SealingKeyFile: SealingKeyProvider {
    /// The path of the file of the current key.
    public let path: String
    private let step: PrivateFolder.Step

    /// Names the file; it is created by the first use, with the folders of its path that do not exist.
    public init(_ path: String) {
        self.init(path, step: {})
    }

    package init(_ path: String, step: @escaping PrivateFolder.Step) {
        self.path = path
        self.step = step
    }

    /// The most entries that the folder of the keys can have.
    private static let maximumEntryCount = 100_000
    static let earlierSuffix = ".earlier-"

    /// Returns the keys of the files, and creates the file of the current key if it does not exist.
    ///
    /// - Throws: ``SealedStoreError``, with the code `untrusted` if other users can read or change a file, with
    ///   `keys-unavailable` if a file cannot be read, and with `not-a-key` if it does not contain a key.
    public func keys() async throws(SealedStoreError) -> SealingKeys {
        try await withFolder { folder, name throws(FileError) in
            let keys = try keys(in: folder, name)
            removeCopy(of: keys.current, in: folder, name)
            return keys
        }
    }

    /// Makes a new current key; several processes can do so at the same time.
    public func makeKey() async throws(SealedStoreError) -> SealingKeys {
        try await withFolder { folder, name throws(FileError) in
            try folder.withLock(name) { () throws(FileError) in
                let old = try SealingKey.loadOrCreate(at: path, step: step)
                guard let new = try? SealingKey.random(), let earlierName = Self.name(name, of: old) else {
                    throw FileError(code: .outOfResources, path: path)
                }
                // The old key is durable under its second name before the new one takes the first.
                try folder.replace(earlierName, old.bytes)
                try folder.replace(name, new.bytes)
                return try keys(in: folder, name)
            }
        }
    }

    /// Deletes the files of earlier keys.
    public func forget(_ keys: [SealingKey]) async throws(SealedStoreError) {
        try await withFolder { folder, name throws(FileError) in
            for key in keys {
                guard let earlierName = Self.name(name, of: key) else {
                    throw FileError(code: .outOfResources, path: path)
                }
                folder.remove(earlierName)
                if folder.contains(earlierName) {
                    throw FileError(code: .unwritable, path: folder.path(of: earlierName))
                }
            }
            // A process that was killed while it wrote a key has left a file that is no longer named like one.
            for entry in try folder.names(maximumCount: Self.maximumEntryCount)
            where entry.hasPrefix(".\(name).") && entry.hasSuffix(".tmp") {
                guard let bytes = try? folder.read(entry, maximumCount: 4096), !bytes.isEmpty else { continue }
                if keys.contains(where: { $0.bytes.starts(with: bytes) }) { folder.remove(entry) }
            }
        }
    }

    /// Removes the second name of the current key, which a process has left that was killed while it made a key.
    ///
    /// The lock is what tells it from a process that is making a key; without it, the file stays until the next time.
    private func removeCopy(of current: SealingKey, in folder: borrowing PrivateFolder, _ name: String) {
        guard let copy = Self.name(name, of: current), folder.contains(copy) else { return }
        _ = try? folder.withLock(name) { () throws(FileError) in
            if try folder.read(name, maximumCount: 4096) == current.bytes { folder.remove(copy) }
        }
    }

    private func keys(in folder: borrowing PrivateFolder, _ name: String) throws(FileError) -> SealingKeys {
        // The current key first: if another process makes a key in between, the result has both keys of the past.
        let current = try SealingKey.loadOrCreate(at: path, step: step)
        var earlier: [SealingKey] = []
        for entry in try folder.names(maximumCount: Self.maximumEntryCount).sorted()
        where entry.hasPrefix(name + Self.earlierSuffix) {
            // A file that another process has deleted in between is no longer needed.
            guard let bytes = try folder.read(entry, maximumCount: 4096) else { continue }
            guard let key = SealingKey(bytes: bytes) else {
                throw FileError(code: .notAKey, path: folder.path(of: entry))
            }
            earlier.append(key)
        }
        return SealingKeys(current: current, earlier: earlier)
    }

    private static func name(_ name: String, of key: SealingKey) -> String? {
        (try? key.identifierText()).map { name + earlierSuffix + $0 }
    }

    /// Runs `body` on a thread of its own, because it can wait for another process.
    private func withFolder<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing PrivateFolder, String) throws(FileError) -> Value
    ) async throws(SealedStoreError) -> Value {
        let result = await OpenSSL.onThread { () -> Result<Value, FileError> in
            do throws(FileError) {
                let parts = try PrivateFolder.parts(of: path)
                return .success(try body(try PrivateFolder(parts.folder, creating: true, step: step), parts.name))
            } catch {
                return .failure(error)
            }
        }
        do throws(FileError) {
            return try result.get()
        } catch {
            if error.code == .notAKey { throw SealedStoreError(.notAKey, error.message, underlying: error) }
            let general = SealedStoreError(error)
            let isOfKeys = [.unreadable, .damaged].contains(general.code)
            throw isOfKeys ? SealedStoreError(.keysUnavailable, error.message, underlying: error) : general
        }
    }
}

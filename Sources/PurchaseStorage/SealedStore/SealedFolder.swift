internal import PurchaseCore
internal import ReceiptVerification

/// The files of a sealed store, and the order in which they are written.
///
/// | file | content |
/// | --- | --- |
/// | `value-N` | one value; N is the version of the file |
/// | `manifest` | the names of the values with the version and the tag of each file |
/// | `counter` | the version of the manifest |
/// | `queue` | nothing; the processes that wait to change the folder queue at it |
///
/// A change writes the files in this order and then removes those that the manifest no longer names. The manifest is
/// the commit point: before it, nothing has changed; after it, everything. The counter tells an old manifest from the
/// present one. It can be one manifest behind, because a process can be killed before it writes the counter; it is
/// never ahead.
///
/// All files that the manifest names are sealed with the key of the manifest. A process that has not heard of a
/// rotation therefore meets a key that it does not know, and cannot write a value with the old one.
///
/// Each operation opens the folder anew and remembers nothing, so all processes see the same.
struct SealedFolder: Sendable {
    let path: String
    let limits: SealedStoreLimits
    let step: PrivateFolder.Step

    /// Creates the folder if it does not exist, and checks that it is private.
    func create() throws(SealedStoreError) {
        _ = try open()
    }

    // MARK: Reading

    /// Returns a value; nil if the store has no value of the name.
    func value(of name: [UInt8], _ ring: SealingKeyRing) throws(SealedStoreError) -> [UInt8]? {
        try reading(ring) { view throws(SealedStoreError) in
            let state = try view.state()
            return try state.manifest.entries[name].map { entry throws(SealedStoreError) in
                try view.value(name, entry, of: state)
            }
        }
    }

    /// Returns the names of all values, in the order of their bytes.
    func names(_ ring: SealingKeyRing) throws(SealedStoreError) -> [String] {
        try reading(ring) { view throws(SealedStoreError) in
            try view.state().manifest.names.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Reads without the lock. What looks like damage can be a change by another process; then reads again with the
    /// lock.
    private func reading<Value>(
        _ ring: SealingKeyRing, _ body: (borrowing SealedFolderView) throws(SealedStoreError) -> Value
    ) throws(SealedStoreError) -> Value {
        try withFolder(ring) { view throws(SealedStoreError) in
            do throws(SealedStoreError) {
                return try body(view)
            } catch {
                guard [.rolledBack, .missingFile, .damaged, .swapped].contains(error.code) else { throw error }
                return try locked(view, body)
            }
        }
    }

    // MARK: Writing

    /// Stores a value, and returns it; if `isReplacing` is false and there is one of the name, returns that one.
    func set(
        _ name: [UInt8], to value: [UInt8], isReplacing: Bool, _ ring: SealingKeyRing
    ) throws(SealedStoreError) -> [UInt8] {
        try writing(ring) { view throws(SealedStoreError) in
            let state = try view.stateToChange()
            if !isReplacing, let entry = state.manifest.entries[name] {
                return try view.value(name, entry, of: state)
            }
            guard value.count <= limits.valueSize else {
                throw SealedStoreError(
                    .valueTooLarge, "the value has \(value.count) bytes, and \(limits.valueSize) are possible")
            }
            var manifest = state.manifest
            manifest.version = try manifest.nextVersion()
            guard manifest.entries[name] != nil || manifest.entries.count < limits.valueCount else {
                throw SealedStoreError(.full, "the store has \(limits.valueCount) values, the most that it can have")
            }
            manifest.entries[name] = try view.write(value, name, version: manifest.version, with: state.key)
            try view.commit(manifest, after: state, with: state.key, writing: [manifest.version])
            return value
        }
    }

    /// Removes a value if there is one.
    func remove(_ name: [UInt8], _ ring: SealingKeyRing) throws(SealedStoreError) {
        try writing(ring) { view throws(SealedStoreError) in
            let state = try view.stateToChange()
            var manifest = state.manifest
            guard manifest.entries.removeValue(forKey: name) != nil else { return }
            manifest.version = try manifest.nextVersion()
            try view.commit(manifest, after: state, with: state.key)
        }
    }

    /// Removes all values, also those that cannot be read, and with them what makes the folder unreadable.
    ///
    /// - Parameter names: The values that stay. With any, a folder that is unreadable stays as it is.
    func removeAll(keeping names: Set<[UInt8]>, _ ring: SealingKeyRing) throws(SealedStoreError) {
        try writing(ring) { view throws(SealedStoreError) in
            do throws(SealedStoreError) {
                let state = try view.stateToChange()
                guard state.isStored else { return view.sweep(SealedManifest()) }
                var manifest = SealedManifest()
                manifest.entries = state.manifest.entries.filter { names.contains($0.key) }
                manifest.version = try state.manifest.nextVersion()
                try view.commit(manifest, after: state, with: state.key)
            } catch {
                // The provider can have the key in the meantime.
                guard names.isEmpty, ring.isFresh || error.code != .keyUnknown else { throw error }
                try view.clear()
            }
        }
    }

    /// Seals all values with the current key, in one change; nothing happens if they are.
    ///
    /// When it returns, no file needs an earlier key.
    func reseal(_ ring: SealingKeyRing) throws(SealedStoreError) {
        try writing(ring) { view throws(SealedStoreError) in
            let state = try view.stateToChange()
            let key = ring.keys.current
            guard !state.isStored || state.key != key else { return }
            var manifest = state.manifest
            var written: [UInt64] = []
            do throws(SealedStoreError) {
                for name in state.manifest.names {
                    guard let entry = state.manifest.entries[name] else { continue }
                    let value = try view.value(name, entry, of: state)
                    manifest.version = try manifest.nextVersion()
                    written.append(manifest.version)
                    manifest.entries[name] = try view.write(value, name, version: manifest.version, with: key)
                }
                if written.isEmpty { manifest.version = try manifest.nextVersion() }
            } catch {
                view.remove(written)
                throw error
            }
            // A counter that is still sealed with the earlier key would be lost with it.
            if let failure = try view.commit(manifest, after: state, with: key, writing: written) { throw failure }
        }
    }

    // MARK: Folder and lock

    private func writing<Value>(
        _ ring: SealingKeyRing, _ body: (borrowing SealedFolderView) throws(SealedStoreError) -> Value
    ) throws(SealedStoreError) -> Value {
        try withFolder(ring) { view throws(SealedStoreError) in try locked(view, body) }
    }

    private func locked<Value>(
        _ view: borrowing SealedFolderView, _ body: (borrowing SealedFolderView) throws(SealedStoreError) -> Value
    ) throws(SealedStoreError) -> Value {
        let result: Result<Value, SealedStoreError>
        do throws(FileError) {
            result = try view.folder.withLock(
                SealedFolderView.manifestName, queue: SealedFolderView.queueName, rounds: limits.lockAttempts
            ) { () throws(FileError) in
                do throws(SealedStoreError) {
                    return .success(try body(view))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw SealedStoreError(error)
        }
        return try result.get()
    }

    private func withFolder<Value>(
        _ ring: SealingKeyRing, _ body: (borrowing SealedFolderView) throws(SealedStoreError) -> Value
    ) throws(SealedStoreError) -> Value {
        try body(SealedFolderView(folder: try open(), ring: ring, limits: limits))
    }

    private func open() throws(SealedStoreError) -> PrivateFolder {
        do throws(FileError) {
            return try PrivateFolder(path, creating: true, step: step)
        } catch {
            throw SealedStoreError(error)
        }
    }
}

internal import PurchaseCore
internal import ReceiptVerification

/// An open folder of a sealed store, during one operation.
struct SealedFolderView: ~Copyable {
    /// The manifest, its key, and what has to be done before the next change.
    struct State {
        var manifest = SealedManifest()
        let key: SealingKey
        /// Whether the folder has a manifest.
        var isStored = true
        /// Whether a process was killed before it wrote the counter for the manifest.
        var isCounterBehind = false
    }

    static let manifestName = "manifest"
    static let counterName = "counter"
    static let queueName = "queue"
    private static let valuePrefix = "value-"

    let folder: PrivateFolder
    let ring: SealingKeyRing
    let limits: SealedStoreLimits

    static func name(ofValue version: UInt64) -> String { "\(valuePrefix)\(version)" }

    // MARK: Reading

    /// Returns the manifest, after it has been compared with the counter.
    func state() throws(SealedStoreError) -> State {
        // The counter first: a change in between can then only make the manifest the newer of the two.
        let counter = try file(Self.counterName)
        guard let file = try file(Self.manifestName) else {
            return try newState(hasCounter: counter != nil)
        }
        let path = folder.path(of: Self.manifestName)
        let key = try key(of: file, path)
        guard let bytes = try contents(file, .manifest, path, with: key),
            let manifest = SealedManifest(version: file.version, bytes: bytes)
        else { throw damaged(path) }
        var state = State(manifest: manifest, key: key)
        guard let counter else {
            guard manifest.previous == 0 else { throw missing(Self.counterName) }
            state.isCounterBehind = true
            return state
        }
        let counterPath = folder.path(of: Self.counterName)
        // Of a manifest whose key is known, an unknown key of the counter is an edit, or the counter is from another
        // time.
        guard ring.key(counter.key) != nil || !ring.isFresh else { throw damaged(counterPath) }
        guard try contents(counter, .counter, counterPath, with: try self.key(of: counter, counterPath)) == [] else {
            throw damaged(counterPath)
        }
        switch counter.version {
        // The counter can have an earlier key only if it was not written after the rotation.
        case manifest.version where counter.key == file.key: return state
        case manifest.version, manifest.previous: state.isCounterBehind = true
        case ..<manifest.version: throw rolledBack(counterPath, "is older than the manifest")
        default: throw rolledBack(path, "is older than the counter")
        }
        return state
    }

    /// The state of a folder without a manifest: a new one, or one in which a process was killed during the first
    /// change.
    private func newState(hasCounter: Bool) throws(SealedStoreError) -> State {
        let left = try names().filter(Self.isValue)
        guard !hasCounter, left.allSatisfy({ $0 == Self.name(ofValue: 1) }) else { throw missing(Self.manifestName) }
        return State(key: ring.keys.current, isStored: false)
    }

    /// Returns the value of an entry.
    func value(
        _ name: [UInt8], _ entry: SealedManifest.Entry, of state: State
    ) throws(SealedStoreError) -> [UInt8] {
        let fileName = Self.name(ofValue: entry.version)
        let path = folder.path(of: fileName)
        guard let file = try file(fileName) else {
            throw missing(fileName)
        }
        if file.kind == .value, file.version == entry.version, let value = try file.open(name, with: state.key) {
            guard file.tag == entry.tag else { throw rolledBack(path, "is from another time than the manifest") }
            return value
        }
        throw try wrong(file, path, name, state)
    }

    /// Finds out what is wrong with a file: another version of the value, another file of the folder, or neither.
    private func wrong(
        _ file: SealedFile, _ path: String, _ name: [UInt8], _ state: State
    ) throws(SealedStoreError) -> SealedStoreError {
        if file.kind != .value {
            return try file.open(with: state.key) == nil ? damaged(path) : swapped(path)
        }
        if try file.open(name, with: state.key) != nil {
            return rolledBack(path, "contains another version of the value than the manifest names")
        }
        for (other, entry) in state.manifest.entries where entry.version == file.version {
            if try file.open(other, with: state.key) != nil { return swapped(path) }
        }
        return damaged(path)
    }

    private func file(_ name: String) throws(SealedStoreError) -> SealedFile? {
        // One limit for all kinds of files, so that one in the place of another is found to be that.
        let maximumCount = SealedFile.overhead + max(limits.valueSize, SealedManifest.maximumCount(limits))
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try folder.read(name, maximumCount: maximumCount)
        } catch {
            throw SealedStoreError(error)
        }
        return try bytes.map { bytes throws(SealedStoreError) in
            try SealedFile(bytes, path: folder.path(of: name))
        }
    }

    private func contents(
        _ file: SealedFile, _ kind: SealedFile.Kind, _ path: String, with key: SealingKey
    ) throws(SealedStoreError) -> [UInt8]? {
        guard file.kind == kind else { throw swapped(path) }
        return try file.open(with: key)
    }

    private func key(of file: SealedFile, _ path: String) throws(SealedStoreError) -> SealingKey {
        guard let key = ring.key(file.key) else {
            throw SealedStoreError(.keyUnknown, "\(path) is sealed with a key that the key provider does not have")
        }
        return key
    }

    private func names() throws(SealedStoreError) -> [String] {
        do throws(FileError) {
            return try folder.names(maximumCount: limits.entryCount)
        } catch {
            throw SealedStoreError(error)
        }
    }

    // MARK: Writing

    /// Returns the state, after the counter has been written if it was behind.
    ///
    /// The counter may be behind by one change only, so it is put right before the next one.
    func stateToChange() throws(SealedStoreError) -> State {
        var state = try state()
        if !state.isStored {
            // A key that another process has replaced since must not seal a new store.
            guard ring.isFresh else {
                throw SealedStoreError(.keyUnknown, "the key of the new store is not known")
            }
        }
        if state.isCounterBehind {
            try writeCounter(state.manifest.version, with: state.key)
            state.isCounterBehind = false
        }
        return state
    }

    /// Writes the file of a value, and returns the entry for it.
    func write(
        _ value: [UInt8], _ name: [UInt8], version: UInt64, with key: SealingKey
    ) throws(SealedStoreError) -> SealedManifest.Entry {
        let file = try SealedFile.seal(value, .value, version: version, name: name, with: key)
        try write(file, Self.name(ofValue: version))
        return SealedManifest.Entry(version: version, tag: SealedFile.tag(of: file))
    }

    /// Makes a manifest the one in force, and removes what it does not name.
    ///
    /// - Parameter writing: The versions of the files written for it, which are removed if it cannot be written.
    /// - Returns: The reason why the counter is behind; nil if it is not.
    @discardableResult
    func commit(
        _ manifest: SealedManifest, after state: State, with key: SealingKey, writing versions: [UInt64] = []
    ) throws(SealedStoreError) -> SealedStoreError? {
        var manifest = manifest
        manifest.previous = state.manifest.version
        do throws(SealedStoreError) {
            let file = try SealedFile.seal(manifest.bytes, .manifest, version: manifest.version, with: key)
            try write(file, Self.manifestName)
        } catch {
            remove(versions)
            throw error
        }
        // The change is durable now. If the counter cannot be written, the next change writes it first.
        var failure: SealedStoreError?
        do throws(SealedStoreError) { try writeCounter(manifest.version, with: key) } catch { failure = error }
        sweep(manifest)
        return failure
    }

    func writeCounter(_ version: UInt64, with key: SealingKey) throws(SealedStoreError) {
        try write(try SealedFile.seal([], .counter, version: version, with: key), Self.counterName)
    }

    func remove(_ versions: [UInt64]) {
        for version in versions { folder.remove(Self.name(ofValue: version)) }
    }

    private func write(_ file: [UInt8], _ name: String) throws(SealedStoreError) {
        do throws(FileError) {
            try folder.replace(name, file)
        } catch {
            throw SealedStoreError(error)
        }
    }

    /// Removes the files of the store that a manifest does not name: replaced values, and what killed processes have
    /// left.
    ///
    /// What cannot be removed stays until the next change; it harms nothing.
    func sweep(_ manifest: SealedManifest) {
        let named = Set(manifest.entries.values.map { Self.name(ofValue: $0.version) })
        for name in (try? names()) ?? [] where Self.isTemporary(name) || (Self.isValue(name) && !named.contains(name)) {
            folder.remove(name)
        }
    }

    /// Removes all files of the store.
    func clear() throws(SealedStoreError) {
        for name in try names() where Self.isTemporary(name) || Self.isValue(name) || Self.isIndex(name) {
            folder.remove(name)
            if folder.contains(name) {
                throw SealedStoreError(.unwritable, "\(folder.path(of: name)) cannot be removed")
            }
        }
    }

    // MARK: Names of files

    private static func isIndex(_ name: String) -> Bool { [manifestName, counterName].contains(name) }

    /// Whether a name is that of a value; other files of the folder are not the store's.
    private static func isValue(_ name: String) -> Bool {
        UInt64(name.dropFirst(valuePrefix.count)).map { Self.name(ofValue: $0) == name } ?? false
    }

    /// Whether a name is that of a file of the store that was not complete when a process was killed.
    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasPrefix("."), name.hasSuffix(".tmp") else { return false }
        let target = String(name.dropFirst().prefix { $0 != "." })
        return isIndex(target) || isValue(target)
    }

    // MARK: Errors

    private func damaged(_ path: String) -> SealedStoreError {
        SealedStoreError(.damaged, "\(path) was changed after it was sealed")
    }

    private func swapped(_ path: String) -> SealedStoreError {
        SealedStoreError(.swapped, "\(path) contains another file of the store")
    }

    private func rolledBack(_ path: String, _ reason: String) -> SealedStoreError {
        SealedStoreError(.rolledBack, "\(path) \(reason)")
    }

    private func missing(_ name: String) -> SealedStoreError {
        SealedStoreError(.missingFile, "\(folder.path(of: name)) does not exist, and the store has written it")
    }
}

extension SealingKey {
    /// The name of the key file in a state folder.
    public static let fileName = "sealing.key"

    /// Reads a key file, or creates one with mode 0600 if it does not exist.
    ///
    /// Any number of processes may do so at the same time; all get the same key. A file that a crash left empty or too
    /// short is replaced. Any other file is left unchanged.
    ///
    /// - Parameters:
    ///   - path: The key file.
    ///   - onWarning: Receives a warning with the code `sealing-key-replaced` if the file was replaced.
    /// - Throws: ``FileError``, with the code `not-regular`, `other-owner`, `too-open` or `shared-folder` if other
    ///   users could have written the file or can read it, and with `not-a-key` if it does not contain a key.
    public static func loadOrCreate(
        at path: String, onWarning: (KeyCacheWarning) -> Void = { _ in }
    ) throws(FileError) -> SealingKey {
        try loadOrCreate(at: path, step: {}, onWarning: onWarning)
    }

    /// Reads the key file of a state folder, or creates the folder and the file.
    ///
    /// In a folder that belongs to the user, a key file that other users could have written or can read is replaced.
    ///
    /// - Parameters:
    ///   - folder: The state folder.
    ///   - cachePath: A key cache file. Earlier versions kept its key beside it, in a file with the same name and
    ///     `.key` appended. If the state folder has no key, and both files can be trusted, that key is moved to the
    ///     folder.
    ///   - onWarning: Receives a warning if a key was replaced, moved, or ignored.
    /// - Throws: ``FileError``, with the code `shared-folder` if other users can change the state folder.
    public static func loadOrCreate(
        inStateFolder folder: String,
        takingOverKeyBeside cachePath: String? = nil,
        onWarning: (KeyCacheWarning) -> Void = { _ in }
    ) throws(FileError) -> SealingKey {
        try loadOrCreate(inStateFolder: folder, takingOverKeyBeside: cachePath, step: {}, onWarning: onWarning)
    }

    /// Returns whether a key file is empty or too short, as a crash or a power failure leaves it.
    ///
    /// It changes nothing. It is false for a file that does not exist or is not trusted.
    package static func isHalfMade(at path: String) throws(FileError) -> Bool {
        let parts = try PrivateFolder.parts(of: path)
        return try SealingKeyFile(folder: try PrivateFolder(parts.folder, step: {}), name: parts.name).isHalfMade
    }

    package static func loadOrCreate(
        at path: String, step: @escaping PrivateFolder.Step, onWarning: (KeyCacheWarning) -> Void = { _ in }
    ) throws(FileError) -> SealingKey {
        let parts = try PrivateFolder.parts(of: path)
        let file = SealingKeyFile(folder: try PrivateFolder(parts.folder, step: step), name: parts.name)
        return try file.loadOrCreate(onWarning: onWarning) { () throws(FileError) in try random(for: path) }
    }

    package static func loadOrCreate(
        inStateFolder folder: String, takingOverKeyBeside cachePath: String? = nil,
        step: @escaping PrivateFolder.Step, onWarning: (KeyCacheWarning) -> Void = { _ in }
    ) throws(FileError) -> SealingKey {
        let file = SealingKeyFile(
            folder: try PrivateFolder(folder, creating: true, step: step), name: fileName, isReplaceable: true)
        let earlier = cachePath.map { EarlierSealingKey(cachePath: $0, step: step) }
        let key = try file.loadOrCreate(onWarning: onWarning) { () throws(FileError) in
            if let key = earlier?.load(onWarning: onWarning) { return key }
            return try random(for: file.path)
        }
        if let earlier, earlier.remove(ifCopied: key, to: file) {
            onWarning(KeyCacheWarning(code: .sealingKeyMoved, detail: "from \(earlier.path) to \(file.path)"))
        }
        return key
    }

    fileprivate static func random(for path: String) throws(FileError) -> SealingKey {
        guard let key = try? random() else { throw FileError(code: .outOfResources, path: path) }
        return key
    }
}

/// The file of a sealing key.
private struct SealingKeyFile: ~Copyable {
    /// What is in the place of the file.
    private enum Content {
        case none
        case key(SealingKey)
        /// Less than a key, or zero bytes only: what a crash or a power failure leaves.
        case halfMade([UInt8])
        case untrusted(FileError)
    }

    let folder: PrivateFolder
    let name: String
    /// Whether a file that is not trusted is replaced; otherwise it is an error.
    let isReplaceable: Bool

    init(folder: consuming PrivateFolder, name: String, isReplaceable: Bool = false) {
        self.isReplaceable = isReplaceable && folder.isOwn
        self.folder = folder
        self.name = name
    }

    var path: String { folder.path(of: name) }

    /// Each attempt ends with a key, unless other processes create and remove the file in between.
    private static let attempts = 16

    func loadOrCreate(
        onWarning: (KeyCacheWarning) -> Void, _ makeKey: () throws(FileError) -> SealingKey
    ) throws(FileError) -> SealingKey {
        for _ in 0..<Self.attempts {
            switch try content() {
            case .key(let key): return key
            case .none:
                let key = try makeKey()
                // Losing the race is normal: the next attempt reads the key of the process that won it.
                if try folder.create(name, key.bytes) { return key }
            case .halfMade: if let key = try repair(onWarning: onWarning) { return key }
            case .untrusted(let error):
                guard isReplaceable else { throw error }
                if let key = try repair(onWarning: onWarning) { return key }
            }
        }
        throw FileError(code: .busy, path: path)
    }

    var isHalfMade: Bool {
        get throws(FileError) { if case .halfMade = try content() { true } else { false } }
    }

    private func content() throws(FileError) -> Content {
        do throws(FileError) {
            guard let bytes = try folder.read(name, maximumCount: 4096) else { return .none }
            let isBlank = bytes.allSatisfy { $0 == 0 }
            if let key = SealingKey(bytes: bytes), !isBlank { return .key(key) }
            guard bytes.count <= Seal.keyCount else { throw FileError(code: .notAKey, path: path) }
            return .halfMade(bytes)
        } catch {
            if error.code == .tooLarge { throw FileError(code: .notAKey, path: path) }
            guard error.isUntrusted else { throw error }
            return .untrusted(error)
        }
    }

    /// Replaces the file, if it still needs that; returns nil if it has disappeared.
    ///
    /// The lock makes the second look and the replacement one operation, so that of several processes one replaces the
    /// file and the others read the result.
    private func repair(onWarning: (KeyCacheWarning) -> Void) throws(FileError) -> SealingKey? {
        try folder.withLock(name) { () throws(FileError) in
            let problem: String
            switch try content() {
            case .none: return nil
            case .key(let key): return key
            case .untrusted(let error): problem = error.message
            case .halfMade(let bytes) where bytes.allSatisfy { $0 == 0 }:
                problem = "\(path) contains no key"
            case .halfMade(let bytes):
                // It may be another file, named by mistake.
                let copy = "\(name).\(UInt32.random(in: .min ... .max)).old"
                folder.keep(name, as: copy)
                problem = "\(path) contained \(bytes.count) bytes, which are now in \(folder.path(of: copy))"
            }
            let key = try SealingKey.random(for: path)
            try folder.replace(name, key.bytes)
            onWarning(KeyCacheWarning(code: .sealingKeyReplaced, detail: problem))
            return key
        }
    }
}

/// The sealing key that an earlier version kept beside a key cache file.
private struct EarlierSealingKey {
    let cachePath: String
    let step: PrivateFolder.Step

    var path: String { "\(cachePath).key" }

    /// Returns the key if it and the key cache can be trusted.
    func load(onWarning: (KeyCacheWarning) -> Void) -> SealingKey? {
        do throws(FileError) {
            let parts = try PrivateFolder.parts(of: cachePath)
            guard let bytes = try read(parts) else { return nil }
            guard let key = SealingKey(bytes: bytes), !bytes.allSatisfy({ $0 == 0 }) else {
                throw FileError(code: .notAKey, path: path)
            }
            return key
        } catch {
            if !error.isMissing {
                onWarning(KeyCacheWarning(code: .sealingKeyIgnored, detail: error.message))
            }
            return nil
        }
    }

    /// Returns the bytes of the key file; nil if there is no such pair of files.
    private func read(_ parts: (folder: String, name: String)) throws(FileError) -> [UInt8]? {
        let folder: PrivateFolder
        do throws(FileError) {
            folder = try PrivateFolder(parts.folder, step: step)
        } catch {
            // A folder that cannot be trusted matters only if it has an earlier key.
            guard error.isUntrusted, (try? PrivateFile.exists(path)) == true else { return nil }
            throw error
        }
        guard folder.contains("\(parts.name).key"), folder.contains(parts.name) else { return nil }
        guard try folder.read(parts.name, maximumCount: Budget.keyCacheFileSize) != nil else { return nil }
        return try folder.read("\(parts.name).key", maximumCount: 4096)
    }

    /// Removes the file if it contains the key that is now in the state folder.
    ///
    /// This runs at each start, since the process that moved the key may have been killed before it removed the file.
    func remove(ifCopied key: SealingKey, to file: borrowing SealingKeyFile) -> Bool {
        guard let parts = try? PrivateFolder.parts(of: path),
            let folder = try? PrivateFolder(parts.folder, step: step),
            folder.contains(parts.name),
            (try? folder.read(parts.name, maximumCount: 4096)) == key.bytes,
            // A key cache named `sealing` in the state folder: its earlier key file would be this very file.
            !folder.isSame(parts.name, as: file.name, in: file.folder)
        else { return false }
        folder.remove(parts.name)
        return true
    }
}

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
    ///   - onWarning: Receives a warning with the code `sealing-key-replaced` if the file was replaced.
    /// - Throws: ``FileError``, with the code `shared-folder` if other users can change the state folder.
    public static func loadOrCreate(
        inStateFolder folder: String, onWarning: (KeyCacheWarning) -> Void = { _ in }
    ) throws(FileError) -> SealingKey {
        try loadOrCreate(inStateFolder: folder, step: {}, onWarning: onWarning)
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
        return try file.loadOrCreate(onWarning: onWarning)
    }

    package static func loadOrCreate(
        inStateFolder folder: String, step: @escaping PrivateFolder.Step,
        onWarning: (KeyCacheWarning) -> Void = { _ in }
    ) throws(FileError) -> SealingKey {
        let file = SealingKeyFile(
            folder: try PrivateFolder(folder, creating: true, step: step), name: fileName, isReplaceable: true)
        return try file.loadOrCreate(onWarning: onWarning)
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

    func loadOrCreate(onWarning: (KeyCacheWarning) -> Void) throws(FileError) -> SealingKey {
        for _ in 0..<Self.attempts {
            switch try content() {
            case .key(let key): return key
            case .none:
                let key = try SealingKey.random(for: path)
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

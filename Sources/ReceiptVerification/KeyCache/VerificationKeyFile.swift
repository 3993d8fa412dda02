/// A file that stores the sealed bytes of a key cache.
///
/// The file is used only if it is a regular file of the user with mode 0600, in a folder that only the user and root
/// can change (<doc:KeyCacheFiles>). A file that is not trusted is neither read nor replaced.
public struct VerificationKeyFile: VerificationKeyStorage {
    /// The path of the file.
    public let path: String
    private let step: PrivateFolder.Step

    /// Names a file, which need not exist.
    public init(_ path: String) {
        self.init(path, step: {})
    }

    package init(_ path: String, step: @escaping PrivateFolder.Step) {
        self.path = path
        self.step = step
    }

    /// Returns the bytes of the file; nil if there is no file.
    ///
    /// - Throws: A warning with the code `cache-untrusted` if other users could have written the file.
    public func load() throws(KeyCacheWarning) -> [UInt8]? {
        do throws(FileError) {
            let parts = try PrivateFolder.parts(of: path)
            return try PrivateFolder(parts.folder, step: step)
                .read(parts.name, maximumCount: Budget.keyCacheFileSize)
        } catch {
            if error.isMissing { return nil }
            throw warning(error, otherwise: .unreadable)
        }
    }

    /// Replaces the file atomically, unless it is not trusted.
    public func save(_ sealed: [UInt8]) throws(KeyCacheWarning) {
        do throws(FileError) {
            let parts = try PrivateFolder.parts(of: path)
            let folder = try PrivateFolder(parts.folder, step: step)
            // An entry that is not trusted may be an important file or a trap; it stays.
            _ = try folder.read(parts.name, maximumCount: Budget.keyCacheFileSize)
            try folder.replace(parts.name, sealed)
        } catch {
            throw warning(error, otherwise: .unwritable)
        }
    }

    private func warning(_ error: FileError, otherwise code: KeyCacheWarning.Code) -> KeyCacheWarning {
        if error.code == .tooLarge { return KeyCacheWarning(code: .foreign) }
        if error.isUntrusted { return KeyCacheWarning(code: .untrusted, detail: error.message) }
        return KeyCacheWarning(code: code, detail: error.message)
    }
}

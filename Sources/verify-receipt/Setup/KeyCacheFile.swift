internal import CommandLineInterface
internal import ReceiptVerification

/// The key cache in the file of `--key-cache`, or in memory if the flag is not given.
struct KeyCacheFile {
    let cache = VerificationKeyCache()
    private let path: String?
    private let sealingKey: SealingKey?
    /// The flag of the file as it was given.
    private let spelling: String
    /// The reason that the file was not loaded.
    let warning: KeyCacheWarning?

    /// Loads the file, if there is one.
    init(_ arguments: Arguments, messages: Messages) throws(UsageError) {
        spelling = arguments.spelling(of: .keyCache)
        guard let path = arguments.value(of: .keyCache) else {
            guard !arguments.mentions(.sealingKey) else {
                throw UsageError(
                    "\(arguments.spelling(of: .sealingKey)) needs a --key-cache", hint: "add --key-cache FILE")
            }
            guard !arguments.isOnCommandLine(.stateDirectory) else {
                throw UsageError("--state-dir needs a --key-cache", hint: "add --key-cache FILE")
            }
            (self.path, sealingKey, warning) = (nil, nil, nil)
            return
        }
        guard let sealingKey = try Self.sealingKey(arguments, messages) else {
            (self.path, self.sealingKey, warning) = (nil, nil, nil)
            return
        }
        let warning = cache.load(from: VerificationKeyFile(path), sealingKey: sealingKey)
        if let warning {
            messages.warn(
                "the key cache is not used: \(warning.message) (\(warning.code))",
                hint: Self.isReplaceable(warning)
                    ? "no action is needed; the next verification replaces \(path)" : Escaped(Self.hint(warning, path))
            )
        }
        (self.path, self.sealingKey, self.warning) = (path, sealingKey, warning)
    }

    // MARK: Sealing key

    /// Returns the key of `--sealing-key` or of the state folder; nil if another process is replacing it.
    private static func sealingKey(
        _ arguments: Arguments, _ messages: Messages
    ) throws(UsageError) -> SealingKey? {
        let file = arguments.value(of: .sealingKey)
        let folder = file == nil ? try StateFolder.path(arguments) : ""
        let warn = { (warning: KeyCacheWarning) in messages.warn("\(warning.message) (\(warning.code))") }
        do throws(FileError) {
            if let file { return try SealingKey.loadOrCreate(at: file, onWarning: warn) }
            return try SealingKey.loadOrCreate(inStateFolder: folder, onWarning: warn)
        } catch {
            if error.code == .busy {
                messages.warn("the key cache is not used: \(error.message)", hint: "try again later")
                return nil
            }
            throw UsageError(
                "the sealing key cannot be used: \(error.message)", hint: Escaped(hint(error, file)))
        }
    }

    private static func hint(_ error: FileError, _ file: String?) -> String {
        switch error.code {
        case .sharedFolder:
            "name a folder that only you can change with " + (file == nil ? "--state-dir" : "--sealing-key")
        case .otherOwner, .notRegular, .notAKey: "remove it, or name another file with --sealing-key"
        default: file == nil ? "check --state-dir and the home folder" : "check --sealing-key"
        }
    }

    // MARK: Warnings

    /// Whether the next verification replaces the file.
    ///
    /// A file that is not a key cache is never replaced: its path was given by mistake, and it may be the only copy.
    private static func isReplaceable(_ warning: KeyCacheWarning) -> Bool {
        ![.foreign, .untrusted, .unreadable].contains(warning.code)
    }

    private static func hint(_ warning: KeyCacheWarning, _ path: String) -> String {
        warning.code == .untrusted
            ? "use a file of mode 600 that belongs to you, in a folder that only you can change"
            : "\(path) stays as it is; remove it, or name another file with --key-cache"
    }

    /// Whether the file may be replaced.
    var isReplaceable: Bool { warning.map(Self.isReplaceable) ?? true }

    /// Saves the cache if it has new keys; if that fails, it prints a warning, because no verdict depends on it.
    func saveIfChanged(messages: Messages) {
        guard isReplaceable, cache.statistics.misses > 0, !cache.keys.isEmpty else { return }
        do throws(UsageError) {
            try save()
        } catch {
            messages.warn(error.message, hint: error.hint)
        }
    }

    /// Prints the statistics of the cache, if `--verbose` is given.
    func printStatistics(_ arguments: Arguments, messages: Messages) {
        guard arguments.has(.verbose) else { return }
        let statistics = cache.statistics
        messages.note(
            "key cache: stored \(statistics.entries), hits \(statistics.hits), misses \(statistics.misses), "
                + "chains validated \(statistics.chainValidations), evicted \(statistics.evictions)"
        )
    }

    func save() throws(UsageError) {
        guard let path, let sealingKey else { return }
        do throws(KeyCacheWarning) {
            try cache.save(to: VerificationKeyFile(path), sealingKey: sealingKey)
        } catch {
            throw UsageError(
                "the key cache cannot be saved: \(error.message) (\(error.code))",
                hint: "check the value of \(spelling)")
        }
    }
}

internal import CommandLineInterface
internal import ReceiptVerification

/// The key cache in the file of `--key-cache`, or in memory if the flag is not given.
struct KeyCacheFile {
    let cache = VerificationKeyCache()
    private let path: String?
    private let sealingKey: SealingKey?
    /// The reason that the file was not loaded.
    let warning: KeyCacheWarning?

    /// Loads the file, if there is one.
    init(_ arguments: Arguments, messages: Messages) throws(UsageError) {
        guard let path = arguments.value(of: .keyCache) else {
            guard !arguments.mentions(.sealingKey) else {
                throw UsageError("--sealing-key needs a --key-cache", hint: "add --key-cache FILE")
            }
            (self.path, sealingKey, warning) = (nil, nil, nil)
            return
        }
        do throws(FileError) {
            let sealingKey = try SealingKey.loadOrCreate(at: arguments.value(of: .sealingKey) ?? path + ".key")
            let warning = try cache.load(from: path, sealingKey: sealingKey)
            if let warning {
                messages.warn(
                    "the key cache is not used: \(warning.message) (\(warning.code))",
                    hint: warning.code == .foreign
                        ? "\(Escaped(path)) stays as it is; remove it, or name another file with --key-cache"
                        : "no action is needed; the next verification replaces \(Escaped(path))"
                )
            }
            (self.path, self.sealingKey, self.warning) = (path, sealingKey, warning)
        } catch {
            throw UsageError("\(Escaped(error.message))", hint: "check --key-cache and --sealing-key")
        }
    }

    /// Saves the cache if it has new keys; if that fails, it prints a warning, because no verdict depends on it.
    ///
    /// A file that is not a key cache is never replaced: its path was given by mistake, and it may be the only copy.
    func saveIfChanged(messages: Messages) {
        guard warning?.code != .foreign, cache.statistics.misses > 0, !cache.keys.isEmpty else { return }
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
        do throws(FileError) {
            try cache.save(to: path, sealingKey: sealingKey)
        } catch {
            throw UsageError(
                "the key cache cannot be saved: \(Escaped(error.message))", hint: "check the value of --key-cache")
        }
    }
}

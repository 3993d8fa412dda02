internal import CommandLineInterface
internal import ReceiptVerification

/// The key cache of `--key-cache`, or one that lasts as long as the tool runs.
struct KeyCacheSetup {
    let cache = VerificationKeyCache()
    private let path: String?
    private let sealingKey: SealingKey?
    /// Why the file could not be taken over.
    let warning: KeyCacheWarning?

    /// Loads the cache's file if there is one.
    init(_ arguments: Arguments, talk: Talk) throws(UsageError) {
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
                talk.warn(
                    "\(warning.message) (\(warning.code)); it is not used",
                    hint: warning.code == .foreign
                        ? "\(Escaped(path)) is left alone; remove it, or name another file with --key-cache"
                        : "nothing is lost: \(Escaped(path)) is written anew after a verification"
                )
            }
            (self.path, self.sealingKey, self.warning) = (path, sealingKey, warning)
        } catch {
            throw UsageError("\(Escaped(error.message))", hint: "it is named by --key-cache or --sealing-key")
        }
    }

    /// Writes the file where there is something new to keep; that it cannot be written changes no verdict.
    ///
    /// A file that is no key cache at all was named by mistake, and is not replaced: it may be somebody's only copy.
    func saveIfChanged(talk: Talk) {
        guard warning?.code != .foreign, cache.statistics.misses > 0, !cache.keys.isEmpty else { return }
        do throws(UsageError) {
            try save()
        } catch {
            talk.warn(error.message, hint: error.hint)
        }
    }

    /// Says how often a key was found and how often a chain had to be validated, for whoever asked with `--verbose`.
    func report(_ arguments: Arguments, talk: Talk) {
        guard arguments.has(.verbose) else { return }
        let statistics = cache.statistics
        talk.note(
            "key cache: \(statistics.entries) kept, \(statistics.hits) found, \(statistics.misses) not found, "
                + "\(statistics.chainValidations) chains validated, \(statistics.evictions) dropped"
        )
    }

    func save() throws(UsageError) {
        guard let path, let sealingKey else { return }
        do throws(FileError) {
            try cache.save(to: path, sealingKey: sealingKey)
        } catch {
            throw UsageError(
                "the key cache is not kept: \(Escaped(error.message))", hint: "it is named by --key-cache")
        }
    }
}

internal import CommandLineInterface
internal import LocalStore

/// The folder of a store and the paths in it.
struct StoreFolder {
    let path: String
    /// The flag of the folder as it was given.
    let spelling: String

    init(_ arguments: Arguments) {
        spelling = arguments.spelling(of: .store)
        let path = arguments.value(of: .store) ?? "local-store"
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The copy of the `.storekit` file that the store was created from.
    var configuration: String { "\(path)/store.storekit" }
    var state: String { "\(path)/state.sqlite" }
    /// The folder of the signing keys and certificates.
    var authority: String { "\(path)/authority" }
    /// The root certificate of every receipt that the store signs.
    var root: String { "\(authority)/root.der" }
    private var lockFile: String { "\(path)/lock" }
    /// The paths that no output replaces; nothing else is in the folder of the keys.
    var paths: [String] { [configuration, lockFile, authority] + StateFile.paths(of: state) }
    /// The time between two attempts to lock the store.
    private static let pollingInterval = 20

    /// Whether the folder holds a store.
    var isStore: Bool { SystemCalls.exists(state) }

    /// Locks the store against changes by other processes until this process ends.
    ///
    /// If another process holds the lock, waits for as long as `--wait` says.
    func lock(_ session: Session) throws(UsageError) {
        let seconds = try session.arguments.positiveNumber(of: .wait) ?? 0
        let (milliseconds, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        let start = SystemCalls.monotonicMilliseconds
        var isLocked: Bool
        do throws(SystemCalls.Failure) {
            // The descriptor stays open: the system releases the lock when the process ends, even if it is killed.
            let descriptor = try SystemCalls.openForWriting(lockFile, .keeping, permissions: 0o600)
            isLocked = try SystemCalls.lock(descriptor)
            if !isLocked, seconds > 0 {
                session.messages.note("waiting for another local-store process")
            }
            while !isLocked, isTooLong || SystemCalls.monotonicMilliseconds - start < milliseconds {
                SystemCalls.pause(milliseconds: Self.pollingInterval)
                isLocked = try SystemCalls.lock(descriptor)
            }
        } catch {
            throw UsageError(
                "cannot use \(Escaped(path)): \(error.reason)", hint: "choose another store with \(spelling)")
        }
        guard isLocked else {
            throw UsageError(
                "another local-store process is using \(Escaped(path))",
                hint: "wait for it with --wait SECONDS, or choose another store with \(spelling)"
            )
        }
    }
}

/// Reads `.storekit` files and reports one that cannot be read as a usage error.
enum StorekitFile {
    static func configuration(in bytes: [UInt8], name: String) throws(UsageError) -> StoreConfiguration {
        try read(bytes, name: name).configuration
    }

    /// - Parameter name: The path that messages name.
    static func read(_ bytes: [UInt8], name: String) throws(UsageError) -> StoreConfigurationReading {
        do throws(StoreConfigurationError) {
            return try StoreConfiguration.read(bytes)
        } catch {
            throw UsageError(
                "\(Escaped(name)):\(Escaped(error.finding.description))", hint: "run local-store lint \(Escaped(name))"
            )
        }
    }
}

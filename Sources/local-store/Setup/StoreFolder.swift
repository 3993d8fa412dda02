internal import CommandLineInterface

/// The folder of a store and what is in it.
struct StoreFolder {
    let path: String

    init(_ arguments: Arguments) {
        let path = arguments.value(of: .store) ?? "local-store"
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The `.storekit` file that the store was made from.
    var configuration: String { "\(path)/store.storekit" }
    var state: String { "\(path)/state.json" }
    var authority: String { "\(path)/authority" }
    /// The certificate under which everything verifies.
    var root: String { "\(authority)/root.der" }
    private var lock: String { "\(path)/lock" }

    /// Whether the folder holds a store.
    var isStore: Bool { SystemCalls.exists(state) }

    /// Keeps other processes from the store for as long as this one runs.
    func occupy() throws(UsageError) {
        let isFree: Bool
        do throws(SystemCalls.Failure) {
            // The descriptor stays open: the system gives the lock back when the process ends, however it ends.
            isFree = try SystemCalls.lock(try SystemCalls.openForWriting(lock, .keeping, permissions: 0o600))
        } catch {
            throw UsageError("cannot use \(Escaped(path)): \(error.reason)", hint: "it is named by --store")
        }
        guard isFree else {
            throw UsageError(
                "another local-store is using \(Escaped(path))", hint: "wait for it, or name another store with --store"
            )
        }
    }
}

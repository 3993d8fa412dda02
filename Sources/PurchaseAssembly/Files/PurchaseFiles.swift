public import PurchaseCore
public import PurchaseStorage
public import ReceiptTypes

/// The opened files of an app's purchases: the database, and the sealed store that has its key.
public struct PurchaseFiles: Sendable {
    /// The sealed store.
    public let secrets: SealedStore
    /// The database.
    public let database: PurchaseDatabase
    /// The place of the verification keys in the sealed store.
    let verificationKeys: SealedKeyCacheStorage
    /// The damaged rows that the database finds; those of a database that the app has opened go to the app.
    let damage: DamageRelay

    /// Takes files that the app has opened, such as a database whose key is elsewhere.
    ///
    /// - Throws: ``/PurchaseStorage/SealedStoreError`` if the sealed store cannot keep verification keys.
    public init(secrets: SealedStore, database: PurchaseDatabase) async throws(SealedStoreError) {
        try await self.init(secrets: secrets, database: database, damage: DamageRelay())
    }

    private init(
        secrets: SealedStore, database: PurchaseDatabase, damage: DamageRelay
    ) async throws(SealedStoreError) {
        self.secrets = secrets
        self.database = database
        self.damage = damage
        do throws(SealedStoreError) {
            verificationKeys = try await secrets.keyCacheStorage(name: Self.verificationKeysName)
        } catch {
            guard [.damaged, .truncated, .swapped, .rolledBack, .missingFile].contains(error.code) else { throw error }
            // The keys are a copy of what the receipts contain, so a damaged one is made again.
            try await secrets.remove("\(Self.verificationKeysName).key")
            verificationKeys = try await secrets.keyCacheStorage(name: Self.verificationKeysName)
        }
    }

    /// Opens the files in a folder, and creates those that do not exist.
    ///
    /// A damaged database is replaced by a new one with what could be read; a ``PurchaseStack`` then reads the store's history.
    /// A key rotation that was interrupted is finished.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - keys: The place of the sealed store's key; nil for the file at ``PurchaseFolder/keyPath``.
    ///   - timer: Measures the deadline of the place of the key, and the time between two searches for changes of other
    ///     processes.
    ///   - clock: The device's clock.
    /// - Throws: ``/PurchaseStorage/SealedStoreError`` or ``/PurchaseCore/DatabaseError``; the database is then as it was. If the
    ///   sealed store or its key is lost, nothing can read the database: move the folder away, and the next launch begins with
    ///   what the store lists.
    @concurrent
    public static func open(
        _ folder: PurchaseFolder, keys: (any SealingKeyProvider)? = nil, timer: any PurchaseTimer = SystemTimer(),
        clock: @escaping @Sendable () -> Timestamp = DeviceClock.now
    ) async throws -> PurchaseFiles {
        let provider = keys ?? SealingKeyFile(folder.keyPath)
        let secrets = try SealedStore(folder: folder.secretsPath, keys: provider, timer: timer)
        let key = try await secrets.value(of: PurchaseFolder.databaseKeyName, orSet: PurchaseDatabase.randomKey())
        // With a value that cannot be read, a rotation stays unfinished, and everything else works.
        try? await secrets.reseal()
        let damage = DamageRelay()
        func open() throws(DatabaseError) -> PurchaseDatabase {
            try PurchaseDatabase(path: folder.databasePath, key: key, timer: timer) { damage.report($0) }
        }
        let database: PurchaseDatabase
        do throws(DatabaseError) {
            database = try open()
        } catch {
            guard error.code == .damaged else { throw error }
            _ = try PurchaseDatabase.recover(path: folder.databasePath, key: key, clock: clock)
            database = try open()
        }
        return try await PurchaseFiles(secrets: secrets, database: database, damage: damage)
    }

    static let verificationKeysName = "verification-keys"
}

/// Passes damaged rows on to the stack, which is created after the database has been opened.
final class DamageRelay: Sendable {
    private struct State {
        var handler: (@Sendable (DamagedRow) -> Void)?
        /// The rows that were found before there was a handler.
        var waiting: [DamagedRow] = []
    }

    private let state = Locked(State())
    private static let limit = 1_000

    func report(_ row: DamagedRow) {
        let handler = state.withLock { state in
            if state.handler == nil, state.waiting.count < Self.limit { state.waiting.append(row) }
            return state.handler
        }
        handler?(row)
    }

    /// Passes all rows on from now on, and first those that were found before.
    func setHandler(_ handler: @escaping @Sendable (DamagedRow) -> Void) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.handler = handler
            return state.waiting
        }
        for row in waiting { handler(row) }
    }
}

extension PurchaseLogEvent.Kind {
    /// A value of the sealed store cannot be used, or a recovery has failed; the stack goes on without it.
    public static let storageFailed = Self(rawValue: "storage-failed")
    /// A row of the database has a wrong seal; it is ignored, and the whole database is checked.
    public static let damagedRow = Self(rawValue: "damaged-row")
    /// A damaged database was replaced; the store's history is read next.
    public static let databaseRecovered = Self(rawValue: "database-recovered")
}

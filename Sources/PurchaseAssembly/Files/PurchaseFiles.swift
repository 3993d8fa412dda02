public import PurchaseCore
public import PurchaseStorage
internal import ReceiptTypes
internal import ReceiptVerification

/// The opened files of an app's purchases: the database, and the sealed store that has its key.
public struct PurchaseFiles: Sendable {
    /// The sealed store, in which an app can keep values of its own.
    ///
    /// The key of the database, ``PurchaseFolder/databaseKeyName``, cannot be changed or removed here, unless the app
    /// has opened the store itself.
    public let secrets: SealedStore
    /// The database.
    public let database: PurchaseDatabase
    /// The place of the verification keys in the sealed store.
    let verificationKeys: SealedKeyCacheStorage
    /// The damaged rows that the database finds; those of a database that the app has opened go to the app.
    let damage: DamageRelay
    /// Whether the store's history was not read for all accounts since a recovery, or whether that cannot be read.
    let hasUnfinishedRecovery: Bool
    /// The places of the files; nil if the app has opened them.
    private let keyed: KeyedFiles?

    /// Takes files that the app has opened, such as a database whose key is elsewhere.
    ///
    /// - Throws: ``/PurchaseStorage/SealedStoreError`` if the sealed store cannot keep verification keys.
    public init(secrets: SealedStore, database: PurchaseDatabase) async throws(SealedStoreError) {
        try await self.init(secrets: secrets, database: database, damage: DamageRelay(), keyed: nil)
    }

    private init(
        secrets: SealedStore, database: PurchaseDatabase, damage: DamageRelay, keyed: KeyedFiles?
    ) async throws(SealedStoreError) {
        self.secrets = secrets
        self.database = database
        self.damage = damage
        self.keyed = keyed
        do throws(DatabaseError) {
            hasUnfinishedRecovery = try await database.unfinishedRecovery() != nil
        } catch {
            hasUnfinishedRecovery = true
        }
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
    /// A damaged database is replaced by a new one with what could be read; a ``PurchaseStack`` then reads the store's
    /// history. A key rotation that was interrupted is finished.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - keys: The place of the sealed store's key; nil for the file at ``PurchaseFolder/keyPath``.
    ///   - environment: The clock, and the timer of the deadline of the place of the key and of the search for changes
    ///     of other processes.
    /// - Throws: ``/PurchaseStorage/SealedStoreError`` or ``/PurchaseCore/DatabaseError``; the files are then as they
    ///   were. If the sealed store or its key is lost, nothing can read the database: see
    ///   ``startOver(in:keys:environment:)``.
    @concurrent
    public static func open(
        _ folder: PurchaseFolder, keys: (any SealingKeyProvider)? = nil, environment: PurchaseEnvironment = .system
    ) async throws -> PurchaseFiles {
        let files = folder.keyedFiles(hasKeyFile: keys == nil)
        let provider = keys ?? SealingKeyFile(folder.keyPath)
        let key = try await databaseKey(in: folder, provider, environment, files)
        let secrets = try SealedStore(
            folder: folder.secretsPath, keys: provider, reserving: [PurchaseFolder.databaseKeyName],
            environment: environment)
        // With a value that cannot be read, a rotation stays unfinished, and everything else works.
        try? await secrets.reseal()
        let damage = DamageRelay()
        // On a thread of its own: it can wait for another task, which needs a thread while it keeps the files in place.
        let database = try await OpenSSL.onThread { Self.database(in: folder, key, damage, environment) }.get()
        // A process that reads the file now leaves the rest of an interrupted erasure to the stack or the next launch.
        _ = try? await database.finishErasure()
        return try await PurchaseFiles(secrets: secrets, database: database, damage: damage, keyed: files)
    }

    /// Returns the key of the database; if there is neither a key nor a database, makes one.
    private static func databaseKey(
        in folder: PurchaseFolder, _ provider: any SealingKeyProvider, _ environment: PurchaseEnvironment,
        _ files: KeyedFiles
    ) async throws -> [UInt8] {
        // Before the provider makes a key in the place of one that is missing.
        try await files.whileInPlace { try files.requireKeys() }
        func read() async throws -> [UInt8] {
            let keys = try await Self.keys(of: provider, environment.timer)
            return try await files.whileInPlace {
                // Another process can have begun to start over since.
                try files.requireKeys()
                return try await databaseKey(in: folder, keys, files)
            }
        }
        do {
            return try await read()
        } catch let error as SealedStoreError where error.code == .keyUnknown {
            // Another process can have rotated the key after it was read.
            return try await read()
        }
    }

    /// Returns the keys of a provider.
    ///
    /// While the files are kept in place other processes can wait for them, so the provider is asked before.
    private static func keys(
        of provider: any SealingKeyProvider, _ timer: any PurchaseTimer
    ) async throws(SealedStoreError) -> SealingKeys {
        try await timer.keyAnswer(within: SealedStore.defaultKeyDeadline) { () throws(SealedStoreError) in
            try await provider.keys()
        }
    }

    /// Returns the key of the database, which is a new one if there is neither a key nor a database.
    private static func databaseKey(
        in folder: PurchaseFolder, _ keys: SealingKeys, _ files: KeyedFiles
    ) async throws -> [UInt8] {
        let given = GivenSealingKeys(current: keys.current, earlier: keys.earlier)
        let secrets = try SealedStore(folder: folder.secretsPath, keys: given)
        let name = PurchaseFolder.databaseKeyName
        guard files.hasDatabase else {
            return try await secrets.value(of: name, orSet: PurchaseDatabase.randomKey())
        }
        // A new key would not open the database, and would hide that the old one is lost.
        guard let key = try await secrets.value(of: name) else {
            throw DatabaseError(.wrongKey, "the sealed store \(folder.secretsPath) does not have the database's key")
        }
        return key
    }

    /// Opens the database, in the place of a damaged one if need be.
    private static func database(
        in folder: PurchaseFolder, _ key: [UInt8], _ damage: DamageRelay, _ environment: PurchaseEnvironment
    ) -> Result<PurchaseDatabase, DatabaseError> {
        func open() throws(DatabaseError) -> PurchaseDatabase {
            try PurchaseDatabase(path: folder.databasePath, key: key, environment: environment) { damage.report($0) }
        }
        return Result { () throws(DatabaseError) in
            do throws(DatabaseError) {
                return try open()
            } catch {
                guard error.code == .damaged else { throw error }
                _ = try PurchaseDatabase.recover(path: folder.databasePath, key: key, clock: environment.clock) {
                    damage.report($0)
                }
                return try open()
            }
        }
    }

    /// Opens the files in a folder whose sealed store or key is lost: sets all of them aside, and begins with new ones.
    ///
    /// Nothing happens to files that can be opened, or that cannot be opened for another reason, such as keys that do
    /// not answer. The old files get a name with the date, such as `secrets.damaged-20261122T123000000Z`: the database,
    /// `secrets/`, and the files of the key unless the app has given a provider. The new database counts as recovered,
    /// so a ``PurchaseStack`` reads the store's history before it sells anything. Everything in the sealed store is
    /// lost, also values of the app, and of the database what the store does not list: see <doc:LostKeys>.
    ///
    /// Call it when ``open(_:keys:environment:)`` has failed and there is no backup. Another process that has the old
    /// files open waits until the new ones are there, writes nothing with the old key, and fails with the code
    /// `wrong-key` until it is launched again.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - keys: The place of the sealed store's key; nil for the file at ``PurchaseFolder/keyPath``.
    ///   - environment: The environment of ``open(_:keys:environment:)``.
    /// - Throws: The errors of ``open(_:keys:environment:)``, and ``/PurchaseCore/DatabaseError`` if a file cannot be
    ///   renamed; call it again.
    @concurrent
    public static func startOver(
        in folder: PurchaseFolder, keys: (any SealingKeyProvider)? = nil, environment: PurchaseEnvironment = .system
    ) async throws -> PurchaseFiles {
        let files = folder.keyedFiles(hasKeyFile: keys == nil)
        // Before the attempt: another process can start over in between.
        let state = files.state
        do {
            return try await open(folder, keys: keys, environment: environment)
        } catch {
            guard KeyedFiles.isLoss(error) else { throw error }
        }
        // The key file is made after the old one is set aside; everything else is asked before other processes wait.
        let given: SealingKeys? = if let keys { try await Self.keys(of: keys, environment.timer) } else { nil }
        try await files.startOver(state, at: environment.clock()) {
            let keys = if let given { given } else { try await SealingKeyFile(folder.keyPath).keys() }
            return try await databaseKey(in: folder, keys, files)
        }
        return try await open(folder, keys: keys, environment: environment)
    }

    package static let verificationKeysName = "verification-keys"

    /// Deletes the sealed stores that were set aside and their keys; those of files that the app has opened are its
    /// own.
    func removeSetAside() throws(DatabaseError) { try keyed?.removeSetAside() }
}

extension PurchaseFolder {
    /// The files that are lost together.
    fileprivate func keyedFiles(hasKeyFile: Bool) -> KeyedFiles {
        KeyedFiles(
            database: databasePath, secrets: secretsPath,
            key: hasKeyFile ? (folder: keyFolderPath, name: Self.keyFileName) : nil)
    }
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
    /// Something had the name of a rollback journal of the database, which has none, or the log was that of another
    /// database; it was renamed.
    public static let fileSetAside = Self(rawValue: "file-set-aside")
    /// A damaged database was replaced; the store's history is read next.
    public static let databaseRecovered = Self(rawValue: "database-recovered")
}

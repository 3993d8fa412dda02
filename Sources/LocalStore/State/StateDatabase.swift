internal import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification
internal import SQLite

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The file of a ``SimulatorState``: a SQLite database with a row for each element of the state's lists.
///
/// A step writes the rows that it changes, in one transaction. A command that concerns few customers reads only their
/// rows: the accounts that share purchases or have shared one are a household, and a transaction is needed if the
/// store's rules look at it without being asked for it by its identifier.
struct StateDatabase: Sendable {
    /// The path as it was given, and without links.
    let path, location: String
    /// The file that was read, and the number of its last step.
    private(set) var file: FileIdentity?
    var step: Int64
    /// The households of the accounts that were read.
    var households: [ExactString: Int64]
    /// Whether everything was read.
    let isComplete: Bool

    /// The number in the file's header (`application_id`) that marks a state file: "LSST".
    private static let applicationID: Int64 = 0x4c53_5354
    private static let busyTimeout: Int32 = 10_000

    static let values = StateTable("state", ["id", "step", "body"])
    static let accounts = StateTable("accounts", ["place", "name", "household", "body"])
    static let householdTable = StateTable("households", ["number", "due", "has_pending"])
    static let transactions = StateTable(
        "transactions", ["number", "original", "shared_from", "account", "is_needed", "body"])
    static let subscriptions = StateTable("subscriptions", ["number", "account", "body"])
    static let pending = StateTable("pending", ["number", "account", "body"])
    static let notifications = StateTable("notifications", ["place", "body"])

    private static let schema = [
        """
        CREATE TABLE state (
            id INTEGER PRIMARY KEY, step INTEGER NOT NULL, body TEXT NOT NULL, digest BLOB NOT NULL) STRICT
        """,
        """
        CREATE TABLE accounts (
            place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, household INTEGER NOT NULL, body TEXT NOT NULL,
            digest BLOB NOT NULL) STRICT
        """,
        "CREATE INDEX accounts_by_household ON accounts (household)",
        """
        CREATE TABLE households (
            number INTEGER PRIMARY KEY, due INTEGER, has_pending INTEGER NOT NULL, digest BLOB NOT NULL) STRICT
        """,
        "CREATE INDEX households_by_due ON households (due)",
        """
        CREATE TABLE transactions (
            number INTEGER PRIMARY KEY, original INTEGER NOT NULL, shared_from INTEGER, account TEXT NOT NULL,
            is_needed INTEGER NOT NULL, body TEXT NOT NULL, digest BLOB NOT NULL) STRICT
        """,
        "CREATE INDEX transactions_by_original ON transactions (original)",
        "CREATE INDEX transactions_by_source ON transactions (shared_from) WHERE shared_from IS NOT NULL",
        "CREATE INDEX transactions_needed ON transactions (account) WHERE is_needed = 1",
        """
        CREATE TABLE subscriptions (
            number INTEGER PRIMARY KEY, account TEXT NOT NULL, body TEXT NOT NULL, digest BLOB NOT NULL) STRICT
        """,
        "CREATE INDEX subscriptions_by_account ON subscriptions (account)",
        """
        CREATE TABLE pending (
            number INTEGER PRIMARY KEY, account TEXT NOT NULL, body TEXT NOT NULL, digest BLOB NOT NULL) STRICT
        """,
        "CREATE INDEX pending_by_account ON pending (account)",
        "CREATE TABLE notifications (place INTEGER PRIMARY KEY, body TEXT NOT NULL, digest BLOB NOT NULL) STRICT",
    ]

    // MARK: Opening

    /// Opens a state file and reads the state; nil if there is no file.
    ///
    /// - Parameter need: What of the state is needed; nil means everything. The state has everything that is needed,
    ///   and perhaps nothing else.
    /// - Throws: ``StoreSimulatorError`` with the code `unreadable-state`, `damaged-state` or `newer-state`.
    static func open(
        _ path: String, for need: StateNeed? = nil
    ) throws(StoreSimulatorError) -> (database: StateDatabase, state: SimulatorState)? {
        let location: String
        do throws(FileError) {
            guard try PrivateFolder.containsTrusted(path: path) else { return nil }
            location = try SQLiteFiles.location(of: path)
        } catch {
            throw StoreSimulatorError(.unreadableState, error.message, underlying: error)
        }
        do throws(StoreSimulatorError) {
            let file = FileIdentity(path: location)
            let mode: StateConnection.Mode = SQLiteFiles.hasContent(location + SQLiteFiles.log) ? .examine : .read
            let connection = try connect(location, mode)
            return try connection.read { () throws(StoreSimulatorError) in
                try check(connection)
                let reader = StateReader(connection)
                // The complete state takes longer to read, but tells what is wrong.
                var part: StateReader.Read?
                if let need { part = try? reader.part(need) }
                let read = if let part { part } else { try reader.complete() }
                let database = StateDatabase(
                    path: path, location: location, file: file, step: read.step, households: read.households,
                    isComplete: part == nil)
                return (database, read.state)
            }
        } catch {
            throw StoreSimulatorError(error.code, "\(path): \(error.message)", underlying: error.underlying)
        }
    }

    private init(
        path: String, location: String, file: FileIdentity?, step: Int64, households: [ExactString: Int64],
        isComplete: Bool
    ) {
        (self.path, self.location, self.file, self.step) = (path, location, file, step)
        (self.households, self.isComplete) = (households, isComplete)
    }

    private static func connect(
        _ location: String, _ mode: StateConnection.Mode
    ) throws(StoreSimulatorError) -> StateConnection {
        let file = FileIdentity(path: location)
        let connection = try StateConnection(path: location, busyTimeout: busyTimeout, mode: mode)
        // The last connection deletes the log by its name, which is that of another file after a replacement.
        connection.closing = { close in
            guard FileIdentity(path: location) == file else { return false }
            close()
            return true
        }
        return connection
    }

    /// Checks that a file is a state file of this version.
    private static func check(_ connection: StateConnection) throws(StoreSimulatorError) {
        let unknown = StoreSimulatorError(.damagedState, "the file is not a state file of a store simulator")
        let application, found: Int64
        do throws(StoreSimulatorError) {
            application = try integer("PRAGMA application_id", connection)
            found = try integer("PRAGMA user_version", connection)
        } catch {
            throw error.code == .damagedState ? unknown : error
        }
        guard application == applicationID, found > 0 else { throw unknown }
        guard found <= StateFile.version else {
            throw StoreSimulatorError(
                .newerState,
                "the state has version \(found); this version reads only versions up to \(StateFile.version)")
        }
    }

    static func integer(_ sql: String, _ connection: StateConnection) throws(StoreSimulatorError) -> Int64 {
        try connection.first(sql) { (row) throws(StoreSimulatorError) in try row.integer(0) } ?? 0
    }

    // MARK: Creating

    /// Writes a complete state to a file, in place of the one that it has.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unwritable-state`.
    static func create(_ path: String, _ state: SimulatorState) throws(StoreSimulatorError) -> StateDatabase {
        do {
            let location = try SQLiteFiles.location(of: path)
            // A killed process leaves this file, which no other one uses.
            let temporary = "\(location).\(getpid()).\(UInt32.random(in: .min ... .max)).tmp"
            defer { for suffix in [""] + SQLiteFiles.suffixes { unsafe unlink((temporary + suffix).systemPath) } }
            try PrivateFile.replace(temporary, [])
            var database = StateDatabase(
                path: path, location: location, file: FileIdentity(path: temporary), step: 0, households: [:],
                isComplete: true)
            try database.write(state, toNew: temporary)
            // What a killed process has left beside the old file does not belong to the new one.
            for suffix in SQLiteFiles.suffixes { unsafe unlink((location + suffix).systemPath) }
            guard unsafe rename(temporary.systemPath, location.systemPath) == 0 else {
                throw FileError(code: .unwritable, path: path, systemError: errno)
            }
            return database
        } catch {
            let message = (error as? FileError)?.message ?? (error as? StoreSimulatorError)?.message ?? "\(error)"
            throw StoreSimulatorError(.unwritableState, message, underlying: error)
        }
    }

    private mutating func write(_ state: SimulatorState, toNew file: String) throws(StoreSimulatorError) {
        let connection = try Self.connect(file, .use)
        try connection.useWriteAheadLog(timeout: Self.busyTimeout)
        var database = self
        try connection.write { () throws(StoreSimulatorError) in
            for statement in Self.schema { try connection.execute(statement) }
            try connection.execute("PRAGMA application_id = \(Self.applicationID)")
            try connection.execute("PRAGMA user_version = \(StateFile.version)")
            try StateWriter(connection).write(state, after: state.withoutLists, &database)
        }
        self = database
        _ = try connection.emptyLog()
    }

    // MARK: Saving

    /// Saves the state after a step; if that fails, the file keeps the state before the step.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unwritable-state`, or `changed-state` if another process has
    ///   written to the file.
    mutating func save(_ state: SimulatorState, after old: SimulatorState) throws(StoreSimulatorError) {
        guard state != old else { return }
        let changed = StoreSimulatorError(.changedState, "another process has changed \(path) since it was read")
        do throws(StoreSimulatorError) {
            guard FileIdentity(path: location) == file else {
                throw FileIdentity(path: location) == nil
                    ? StoreSimulatorError(.unwritableState, "\(path) was removed") : changed
            }
            let connection = try Self.connect(location, .use)
            var database = self
            try connection.write { () throws(StoreSimulatorError) in
                guard try Self.integer("SELECT step FROM state", connection) == step else { throw changed }
                try StateWriter(connection).write(state, after: old, &database)
            }
            if connection.hasMoved { throw changed }
            self = database
        } catch {
            throw error.code == .changedState
                ? error : StoreSimulatorError(.unwritableState, error.message, underlying: error.underlying)
        }
    }
}

/// The state without its lists, and the number of their elements, so that a missing row is detected.
struct StateValues: Codable {
    var state: SimulatorState
    var counts: [String: Int]

    init(_ state: SimulatorState, counts: [String: Int]) {
        (self.state, self.counts) = (state.withoutLists, counts)
    }
}

extension SimulatorState {
    var withoutLists: SimulatorState {
        var state = self
        state.accounts = []
        state.transactions = []
        state.subscriptions = []
        state.pending = []
        state.notifications = []
        return state
    }

    /// The number of elements of each list, by the table that has them.
    var counts: [String: Int] {
        [
            StateDatabase.accounts.name: accounts.count, StateDatabase.transactions.name: transactions.count,
            StateDatabase.subscriptions.name: subscriptions.count, StateDatabase.pending.name: pending.count,
            StateDatabase.notifications.name: notifications.count,
        ]
    }
}

import Foundation
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import SQLite

@testable import PurchaseStorage

/// A database in a folder of its own, which is removed at the end.
final class TestDatabase: Sendable {
    static let key = [UInt8](repeating: 7, count: 32)

    let folder = FileManager.default.temporaryDirectory.appending(path: "purchases-\(UUID().uuidString)").path()
    var path: String { "\(folder)/purchases.sqlite" }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Opens the database as a process would.
    func open(
        key: [UInt8] = key, busyTimeout: Int32 = 60_000, eventLimit: Int = 10_000,
        timer: any PurchaseTimer = TickTimer(), damage: DamageRecorder = DamageRecorder()
    ) throws -> PurchaseDatabase {
        try PurchaseDatabase(
            path: path, key: key, busyTimeout: busyTimeout, eventLimit: eventLimit,
            environment: PurchaseEnvironment(timer: timer)
        ) {
            damage.record($0)
        }
    }

    /// Recovers the database as a process would that cannot open it.
    func recover(key: [UInt8] = key, keeping limit: Int = 3, at seconds: Int64 = 0) throws -> DatabaseRecovery? {
        try PurchaseDatabase.recover(
            path: path, key: key, busyTimeout: 60_000, keeping: limit, clock: { PurchaseSample.at(seconds) })
    }

    /// Opens an empty file, without a database of this package.
    func newFile() throws -> SQLiteConnection {
        let file = try DatabaseFile(path, lockTimeout: 5_000)
        try file.create()
        return try SQLiteConnection(path: file.path, busyTimeout: 5_000)
    }

    /// Runs SQL as another program would, which has no key and does not check references.
    func execute(_ sql: String, _ values: [SQLiteValue] = []) throws {
        let connection = try SQLiteConnection(path: path, busyTimeout: 60_000)
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute(sql, values)
    }

    func integer(_ sql: String) throws -> Int64? {
        try SQLiteConnection(path: path, busyTimeout: 60_000).first(sql) { (row) throws(DatabaseError) in
            try row.integer(0)
        }
    }

    func text(_ sql: String) throws -> String? {
        try SQLiteConnection(path: path, busyTimeout: 60_000).first(sql) { (row) throws(DatabaseError) in
            try row.text(0)
        }
    }

    /// Returns whether the whole file is sound after the kill of a process.
    ///
    /// The check reads all rows, of which each round adds some, so of many rounds only some of the later ones have it.
    func isSound(afterRound round: Int) throws -> Bool {
        guard round < 100 || round.isMultiple(of: 50) else { return true }
        return try text("PRAGMA integrity_check") == "ok"
    }

    /// Copies the files to another folder, as they are when every process is killed now.
    func copy() throws -> TestDatabase {
        let copy = TestDatabase()
        try FileManager.default.createDirectory(
            atPath: copy.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for (name, bytes) in try files() {
            let path = "\(copy.folder)/\(name)"
            try bytes.write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        return copy
    }

    /// The bytes of every file in the folder, by name.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        return files
    }
}

/// Records the rows that a database reports as damaged.
final class DamageRecorder: Sendable {
    private let rows = Locked<[DamagedRow]>([])

    var all: [DamagedRow] { rows.withLock { $0 } }
    var tables: Set<String> { rows.withLock { Set($0.map(\.table)) } }

    func record(_ row: DamagedRow) { rows.withLock { $0.append(row) } }
}

/// A timer whose waits end when a test says so.
final class TickTimer: PurchaseTimer {
    private struct State {
        var waits: [AsyncStream<Void>.Continuation] = []
        /// Whether the next wait ends at once, because nothing was waiting at the last tick.
        var hasTicked = false
    }

    private let state = Locked(State())

    func start(milliseconds: Int64) -> Task<Void, Never> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { state in
            if state.hasTicked { continuation.finish() } else { state.waits.append(continuation) }
            state.hasTicked = false
        }
        return Task { for await _ in stream {} }
    }

    /// Ends all waits, or the next one if there is none.
    func tick() {
        let waits = state.withLock { state in
            defer { state.waits = [] }
            state.hasTicked = state.waits.isEmpty
            return state.waits
        }
        for wait in waits { wait.finish() }
    }
}

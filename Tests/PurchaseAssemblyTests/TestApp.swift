import Foundation
import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import ReceiptVerification
import SQLite
import TimerSupport

@testable import PurchaseStorage
@testable import example_app

/// A store, and a folder for the files of one device, which is removed at the end.
@MainActor
final class TestApp {
    let simulator: StoreSimulator
    let path = FileManager.default.temporaryDirectory.appending(path: "stack-\(UUID().uuidString)").path()
    let log = EventLog()

    var folder: PurchaseFolder { PurchaseFolder("\(path)/app") }

    init(selling products: [ConfiguredProduct] = NotesApp.products) throws {
        let start = Timestamp(milliseconds: 1_760_000_000_000) ?? .minimum
        simulator = try StoreSimulator(selling: products, now: start)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func setup() throws -> PurchaseSetup {
        var setup = try NotesApp.setup(simulator)
        setup.environment.log = log
        setup.environment.timer = StoppedTimer()
        return setup
    }

    /// Launches the app; each launch has a verifier with an empty key cache.
    func launch(_ change: (inout PurchaseSetup) -> Void = { _ in }) async throws -> PurchaseStack {
        var setup = try setup()
        change(&setup)
        return try await NotesApp(setup, in: folder).purchases
    }

    /// Opens the files of the app as a process does that runs beside it.
    func openFiles(keys: (any SealingKeyProvider)? = nil) async throws -> PurchaseFiles {
        try await PurchaseFiles.open(folder, keys: keys, environment: PurchaseEnvironment(timer: StoppedTimer()))
    }

    /// The folder in which Linux lists the open files of the process.
    nonisolated static let descriptors = "/proc/self/fd"

    /// The names of the files in the app's folder that this process has open.
    func openFileNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Self.descriptors).compactMap { number in
            // Another test can have closed it meanwhile.
            let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(Self.descriptors)/\(number)")
            return name.flatMap { $0.hasPrefix(folder.path) ? $0 : nil }
        }
    }

    /// Overwrites the beginning of the database and removes its log.
    func damageDatabase() throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.databasePath))
        defer { try? file.close() }
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.databasePath + suffix)
        }
    }

    /// Overwrites the first page of a table.
    func damageTable(_ table: String) throws {
        let connection = try SQLiteConnection(path: folder.databasePath, busyTimeout: 60_000)
        let root = try connection.first("SELECT rootpage FROM sqlite_schema WHERE name = ?", [.text(table)]) {
            (row) throws(DatabaseError) in try row.integer(0)
        }
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.databasePath))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(((root ?? 1) - 1) * 4_096))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
    }

    /// Runs SQL as another program would, which has no key.
    func change(_ sql: String) throws {
        try SQLiteConnection(path: folder.databasePath, busyTimeout: 60_000).execute(sql)
    }

    /// The names of the files in the app's folder that contain some bytes.
    func files(containing bytes: [UInt8]) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return names.filter { name in
            let content = try? Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))
            return content?.range(of: Data(bytes)) != nil
        }
    }
}

final class EventLog: PurchaseLog {
    private let recorded = Locked<[PurchaseLogEvent]>([])
    var events: [PurchaseLogEvent] { recorded.withLock { $0 } }
    func count(_ kind: PurchaseLogEvent.Kind) -> Int { events.count { $0.kind == kind } }

    /// Returns when there is an event of a kind, or when the caller's time limit has cancelled it.
    func has(_ kind: PurchaseLogEvent.Kind) async {
        while count(kind) == 0, !Task.isCancelled { await Task.yield() }
    }

    func log(_ event: PurchaseLogEvent) { recorded.withLock { $0.append(event) } }
}

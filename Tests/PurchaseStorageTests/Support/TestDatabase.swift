import Foundation
import PurchaseCore
import ReceiptVerification

@testable import PurchaseStorage

/// A database in a folder of its own, which is removed at the end.
final class TestDatabase: Sendable {
    static let key = [UInt8](repeating: 7, count: 32)

    let folder = FileManager.default.temporaryDirectory.appending(path: "purchases-\(UUID().uuidString)").path()
    var path: String { "\(folder)/purchases.sqlite" }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Opens the database as a process would.
    func open(
        key: [UInt8] = key, busyTimeout: Int32 = 5_000, damage: DamageRecorder = DamageRecorder()
    ) throws -> PurchaseDatabase {
        try PurchaseDatabase(path: path, key: key, busyTimeout: busyTimeout) { damage.record($0) }
    }

    /// Runs SQL as another program would, which has no key.
    func execute(_ sql: String, _ values: [SQLiteValue] = []) throws {
        try SQLiteConnection(path: path, busyTimeout: 5_000).execute(sql, values)
    }

    func integer(_ sql: String) throws -> Int64? {
        try SQLiteConnection(path: path, busyTimeout: 5_000).first(sql) { (row) throws(DatabaseError) in
            try row.integer(0)
        }
    }

    func text(_ sql: String) throws -> String? {
        try SQLiteConnection(path: path, busyTimeout: 5_000).first(sql) { (row) throws(DatabaseError) in
            try row.text(0)
        }
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

    var tables: Set<String> { rows.withLock { Set($0.map(\.table)) } }

    func record(_ row: DamagedRow) { rows.withLock { $0.append(row) } }
}

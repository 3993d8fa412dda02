package import PurchaseCore
package import ReceiptTypes
internal import ReceiptVerification
import SQLite

/// Reads the rows of all users in a database file, for support, and writes nothing to the file.
///
/// Another process can use the database at the same time: all queries see the state of one moment, in a read
/// transaction that lasts as long as the object. A row that cannot be used is left out and is in ``omissions``.
package final class DatabaseInspection {
    /// A row that the inspection has left out.
    package struct Omission: Hashable {
        package let row: DamagedRow
        /// Whether another row refers to it and it is not there; otherwise it was changed.
        package let isMissing: Bool
    }

    /// The rows that were left out so far, each once.
    package private(set) var omissions: [Omission] = []
    private var reported: Set<Omission> = []
    let connection: SQLiteConnection
    let key: DatabaseKey

    /// Opens a file that exists.
    ///
    /// - Throws: A `DatabaseError`, with the code `not-opened` if there is no file, with `no-tables` if the
    ///   app has to open the file first, with `foreign-journal` if something has the name of a rollback journal, and
    ///   with `foreign-log` if the log is that of another database.
    package init(path: String, key: [UInt8], busyTimeout: Int32 = 5_000) throws(DatabaseError) {
        self.key = try PurchaseDatabase.checked(key)
        // SQLite opens no path with a link.
        let resolved = try DatabaseError.converting { () throws(FileError) in try SQLiteFiles.location(of: path) }
        // A database without a lock was never opened at this path, so no process replaces it.
        let file = DatabaseFile.exists("\(resolved)-lock") ? try Self.file(resolved, busyTimeout) : nil
        try file?.requireLog()
        try DatabaseFile.requireTrusted(resolved)
        // SQLite would delete the index, which is the only sign of the log that was removed.
        if let file, file.loss == .missingLog {
            throw DatabaseError(.damaged, DatabaseRecovery.Finding.missingLog.summary)
        }
        // SQLite would delete the log and the ledger of an empty file.
        if DatabaseFile.exists(resolved), !SQLiteFiles.hasContent(resolved) { throw Self.withoutTables }
        connection = try SQLiteConnection(
            path: resolved, busyTimeout: busyTimeout,
            mode: SQLiteFiles.hasContent(resolved + SQLiteFiles.log) ? .examine : .read)
        if let file { connection.closing = { file.whileClosing($0) } }
        guard try DatabaseSchema.check(connection, self.key) else { throw Self.withoutTables }
        // SQLite ends the transaction when the connection is closed.
        try connection.execute("BEGIN")
    }

    private static let withoutTables = DatabaseError(.noTables, "the file has no tables yet")

    /// Returns the file with its lock; nil if the lock cannot be opened, as in a folder that is read-only.
    private static func file(_ path: String, _ busyTimeout: Int32) throws(DatabaseError) -> DatabaseFile? {
        do throws(DatabaseError) {
            return try DatabaseFile(path, lockTimeout: busyTimeout)
        } catch {
            if let cause = error.underlying as? FileError, cause.isUntrusted { throw error }
            return nil
        }
    }

    /// Returns what is wrong with a file, and the first sign of it; nil if it is sound.
    package static func damage(
        path: String, key: [UInt8], busyTimeout: Int32 = 5_000
    ) throws(DatabaseError) -> (finding: DatabaseRecovery.Finding, detail: String)? {
        let file = try DatabaseFile(path, lockTimeout: busyTimeout)
        let key = try PurchaseDatabase.checked(key)
        let damage = try file.lock.shared { () throws(DatabaseError) in
            let damage = try DamageCheck(file: file, key: key, busyTimeout: busyTimeout).damage()
            // An empty log that the check has left is removed by the last connection.
            if damage == nil, !SQLiteFiles.hasContent(file.path + SQLiteFiles.log) {
                _ = try SQLiteConnection(path: file.path, busyTimeout: busyTimeout, mode: .read)
                    .first("SELECT count(*) FROM sqlite_schema") { (_) throws(DatabaseError) in }
            }
            return damage
        }
        return damage.map { ($0.finding, $0.detail) }
    }

    /// Returns a function that omits a row of a table.
    func report(_ table: String) -> (SQLiteValue) -> Void {
        { self.omit(Omission(row: DamagedRow(table, $0), isMissing: false)) }
    }

    func omit(_ omission: Omission) {
        if reported.insert(omission).inserted { omissions.append(omission) }
    }

    // MARK: Purchases

    /// Returns the purchases of all users or of one, in the order in which they were recorded.
    package func purchases(of user: UUIDText? = nil) throws(DatabaseError) -> [PurchaseRow] {
        let rows = try PurchaseRow.table.rows(
            "ORDER BY id", in: connection, key, onDamage: report(PurchaseRow.table.name), make: PurchaseRow.init)
        guard let user = user?.lowercased else { return rows }
        return rows.filter { $0.purchase.user == user }
    }

    /// Returns the kept events of a purchase, in ascending order.
    package func events(of purchase: Purchase) throws(DatabaseError) -> [PurchaseEvent] {
        let table = PurchaseEvent.table
        return try table.rows(
            "WHERE purchase_id = (SELECT id FROM purchases WHERE \(DatabaseSession.isPurchase)) ORDER BY id",
            purchase.id.values, in: connection, key, onDamage: report(table.name), make: PurchaseEvent.init)
    }

    // MARK: Receipts

    /// A signed payload, and where the database has it.
    package struct StoredReceipt {
        /// The payload; nil if its row is missing or was changed.
        package let content: SignedContent?
        /// The recorded purchase with the payload.
        package let purchase: Purchase?
        /// The entry of the ledger with the payload.
        package let entry: StoredEntry?
        /// The id of the first transaction of the subscription whose renewal info it is.
        package let renewalInfoOf: String?

        /// The id of the transaction, and for a renewal info that of the first one.
        package var transactionID: String? {
            purchase?.id.transactionID ?? entry?.transactionID ?? renewalInfoOf
        }
        /// The id of the product; nil for a renewal info.
        package var productID: String? { purchase?.productID ?? entry?.productID }
    }

    /// An entry of the ledger, without its signed payload.
    package struct StoredEntry {
        package let transactionID, productID: String
        package let stage: DeliveryStage
        package let source: DeliverySource
        package let observedAt: Timestamp
        package let quarantineReason: String?
        package let account: UUIDText?
    }

    /// Calls `body` with each signed payload, in the order in which they were stored; one payload at a time is in
    /// memory.
    ///
    /// - Throws: A `DatabaseError`, or the error of `body`.
    package func forEachReceipt(_ body: (StoredReceipt) throws -> Void) throws {
        let purchases = Dictionary(
            try purchases().map { ($0.text.bytes, $0.purchase) }, uniquingKeysWith: { first, _ in first })
        let entries = Dictionary(
            try deliveryRows().map { ($0.text.bytes, $0) }, uniquingKeysWith: { first, _ in first })
        var renewals: [[UInt8]: String] = [:]
        let table = DatabaseSession.renewalInfos
        for row in try table.rows("", in: connection, key, onDamage: report(table.name)) {
            guard case .text(let id)? = row.first, case .blob(let text)? = row.last else { continue }
            renewals[text] = id
        }
        let digests = try connection.rows("SELECT digest FROM signed_texts ORDER BY rowid") {
            (row) throws(DatabaseError) in try row.blob(0)
        }
        let missing = Set(purchases.keys).union(entries.keys).union(renewals.keys).subtracting(digests)
        for digest in digests + missing.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            try body(
                StoredReceipt(
                    content: try content(digest), purchase: purchases[digest],
                    entry: entries[digest].map(StoredEntry.init), renewalInfoOf: renewals[digest]))
        }
    }

    private func deliveryRows() throws(DatabaseError) -> [DeliveryRow] {
        try DeliveryRow.table.rows(
            "ORDER BY number", in: connection, key, onDamage: report(DeliveryRow.table.name), make: DeliveryRow.init)
    }

    private func content(_ digest: [UInt8]) throws(DatabaseError) -> SignedContent? {
        let sealed = try connection.first("SELECT sealed FROM signed_texts WHERE digest = ?", [.blob(digest)]) {
            (row) throws(DatabaseError) in try row.blob(0)
        }
        guard let sealed, let parts = try SignedTextRow.open(sealed, digest, key) else {
            omit(Omission(row: DamagedRow("signed_texts", .blob(digest)), isMissing: sealed == nil))
            return nil
        }
        return SignedContent(parts: parts)
    }
}

extension DatabaseInspection.StoredEntry {
    fileprivate init(_ row: DeliveryRow) {
        self.init(
            transactionID: row.transactionID, productID: row.productID, stage: row.stage, source: row.source,
            observedAt: row.observedAt, quarantineReason: row.quarantineReason?.rawValue,
            account: row.account)
    }
}

extension DatabaseErrorCode {
    /// The file is empty: no app has opened it.
    package static let noTables = Self(rawValue: "no-tables")
}

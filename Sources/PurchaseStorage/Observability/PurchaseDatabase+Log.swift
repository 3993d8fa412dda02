import PurchaseCore
import ReceiptTypes
import SQLite

// The rows of the log and of the reported cases. Each function is part of a transaction of the caller.
extension DatabaseSession {
    static let logEntries = SealedTable("log_entries", ["id", "logged_at", "user_digest"])
    static let reportedCases = SealedTable("reported_cases", ["id", "reported_at"])

    func appendLogEntry(_ entry: LogEntry) throws(DatabaseError) {
        let id = try RowNumbers.next(of: Self.logEntries.name, in: connection)
        let user = try entry.account.map { (account) throws(DatabaseError) in
            SQLiteValue.blob(try key.digest(ofUser: account.lowercased))
        }
        try Self.logEntries.insert(
            [.integer(id), .integer(entry.date.millisecondsSince1970), user ?? .null], content: entry.content,
            into: connection, key)
    }

    /// An entry with its id, and the digest of the account that was signed in; nil if none was, or if it is not known.
    typealias StoredLogEntry = (id: Int64, entry: LogEntry, user: [UInt8]?)

    /// Returns the entries, the oldest first.
    func storedLogEntries() throws(DatabaseError) -> [StoredLogEntry] {
        try Self.logEntries.rows(
            "ORDER BY id", in: connection, key, onDamage: { report(Self.logEntries.name, $0) }
        ) { (columns, content) in
            var columns = columns
            guard let id = columns.integer(), let date = columns.timestamp(), let entry = LogEntry(content, at: date)
            else { return nil }
            return (id, entry, columns.nextBlob())
        }
    }

    /// Deletes the oldest entries beyond a number, and those beyond an age.
    func deleteLogEntries(keeping limit: Int, _ longestAge: Int64) throws(DatabaseError) {
        try connection.execute(
            "DELETE FROM log_entries WHERE id IN (SELECT id FROM log_entries ORDER BY id DESC LIMIT -1 OFFSET ?)",
            [.integer(Int64(limit))])
        try connection.execute(
            "DELETE FROM log_entries WHERE \(Self.isTooOld("log_entries", "logged_at"))", [.integer(longestAge)])
    }

    // MARK: Deletion

    // The log has the beginning of a long id, which several transactions can share. An id that it has completely
    // identifies its transaction, so its entry is deleted regardless of the account that was signed in.

    /// Deletes the entries about a transaction of a user, given as its digest.
    func eraseLogEntries(ofTransaction id: String, of userDigest: [UInt8]) throws(DatabaseError) {
        let reference = LogRedaction.reference(ofTransaction: id)
        try eraseLogEntries { entry, user in
            entry.transaction == reference && (reference == id || user == nil || user == userDigest)
        }
        try eraseCase(of: id)
    }

    /// Returns the ids of the transactions that a row of the ledger or of the purchases has.
    func transactionIDs() throws(DatabaseError) -> Set<String> {
        let ids = try connection.rows(
            "SELECT transaction_id FROM deliveries UNION SELECT transaction_id FROM purchases"
        ) { (row) throws(DatabaseError) in try row.text(0) }
        return Set(ids)
    }

    /// Deletes the entries of a user: those of the time when the user was signed in, those about transactions whose
    /// rows were deleted, and, of no known user, those about transactions that no row has.
    ///
    /// A case is a keyed digest. Only those of the deleted rows go, because without its case the same transaction of
    /// another user would be reported again.
    ///
    /// - Parameters:
    ///   - userDigest: The digest of the user.
    ///   - former: The transactions that had a row before.
    func eraseLogEntries(of userDigest: [UInt8], formerTransactions former: Set<String>) throws(DatabaseError) {
        let ids = try transactionIDs()
        let deleted = former.subtracting(ids)
        let references = Set(ids.map { LogRedaction.reference(ofTransaction: $0) })
        try eraseLogEntries { entry, user in
            if user == userDigest { return true }
            guard let transaction = entry.transaction else { return false }
            return deleted.contains(transaction) || (user == nil && !references.contains(transaction))
        }
        for id in deleted { try eraseCase(of: id) }
    }

    private func eraseCase(of transactionID: String) throws(DatabaseError) {
        try connection.execute("DELETE FROM reported_cases WHERE id = ?", [.text(try caseID(of: transactionID))])
    }

    private func eraseLogEntries(
        where isErased: (_ entry: LogEntry, _ user: [UInt8]?) -> Bool
    ) throws(DatabaseError) {
        for stored in try storedLogEntries() where isErased(stored.entry, stored.user) {
            try connection.execute("DELETE FROM log_entries WHERE id = ?", [.integer(stored.id)])
        }
    }

    // MARK: Cases

    /// Returns the id of a subject's case, from which the subject cannot be found without the key.
    func caseID(of subject: String) throws(DatabaseError) -> String {
        try key.reference(of: SealedFields(of: "case", [.text(subject)]))
    }

    func isReported(_ id: String) throws(DatabaseError) -> Bool {
        let rows = try Self.reportedCases.rows("WHERE id = ?", [.text(id)], in: connection, key) {
            report(Self.reportedCases.name, $0)
        }
        return !rows.isEmpty
    }

    func storeReported(_ id: String, at date: Timestamp, keeping limit: Int) throws(DatabaseError) {
        // A row that was changed is in the way.
        try connection.execute("DELETE FROM reported_cases WHERE id = ?", [.text(id)])
        try Self.reportedCases.insert(
            [.text(id), .integer(date.millisecondsSince1970)], into: connection, key)
        try connection.execute(
            """
            DELETE FROM reported_cases WHERE rowid IN
            (SELECT rowid FROM reported_cases ORDER BY rowid DESC LIMIT -1 OFFSET ?)
            """, [.integer(Int64(limit))])
    }
}

extension LogEntry {
    private static let contentName = "log entry"

    /// The encrypted content of the entry.
    fileprivate var content: [UInt8] {
        var values: [SQLiteValue] = [
            .text(severity.rawValue), .text(kind.rawValue), SQLiteValue(productID), SQLiteValue(transaction),
            .text(detail),
        ]
        for (name, value) in fields { values += [.text(name), .text(value)] }
        return SealedFields(of: Self.contentName, values).bytes
    }

    /// Reads the content of a row; nil if a value is not one that this version writes.
    fileprivate init?(_ content: RawSpan, at date: Timestamp) {
        guard var values = FieldReader(content, of: Self.contentName),
            let severity = values.text().flatMap(Severity.init(rawValue:)), let kind = values.text()
        else { return nil }
        let productID = values.text()
        let transaction = values.text()
        guard let detail = values.text() else { return nil }
        var fields: [String: String] = [:]
        while !values.isEmpty {
            guard let name = values.text(), let value = values.text() else { return nil }
            fields[name] = value
        }
        self.init(
            date: date, severity: severity, kind: PurchaseLogEvent.Kind(rawValue: kind), productID: productID,
            transaction: transaction, detail: detail, fields: fields)
    }
}

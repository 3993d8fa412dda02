import PurchaseCore
import ReceiptTypes
import SQLite

/// The user whose purchases a call may read and change.
struct PurchaseScope: Sendable {
    let user: UUIDText?
    /// The keyed digest that stands for the user in the file.
    let digest: [UInt8]
}

// The rows of the purchases. Each function is part of a transaction of the caller.
extension DatabaseSession {
    func scope(of user: UUIDText?) throws(DatabaseError) -> PurchaseScope {
        PurchaseScope(user: user, digest: try key.digest(ofUser: user))
    }

    // MARK: Reading

    /// Returns all purchases of a user, the latest first; rows that were changed are reported.
    func purchases(of scope: PurchaseScope) throws(DatabaseError) -> [Purchase] {
        try purchases("WHERE user_digest = ? \(Self.latestFirst)", [.blob(scope.digest)], scope.user)
    }

    /// Returns the purchases of a user that unlock a feature, the latest first; rows that were changed are reported.
    func purchases(unlocking featureID: String, of scope: PurchaseScope) throws(DatabaseError) -> [Purchase] {
        let found = try purchases(
            """
            WHERE user_digest = ? AND purchases.id IN (SELECT purchase_id FROM purchase_features WHERE feature_id = ?) \
            \(Self.latestFirst)
            """, [.blob(scope.digest), .text(featureID)], scope.user)
        // The index only finds the rows: what a purchase unlocks is under its seal.
        return found.filter { $0.unlocks(featureID) }
    }

    /// Returns the purchases of a user with a transaction id, the latest first; rows that were changed are reported.
    func purchases(ofTransaction id: String, of scope: PurchaseScope) throws(DatabaseError) -> [Purchase] {
        try purchases(
            "WHERE \(Self.isTransactionOfUser) \(Self.latestFirst)", [.text(id), .blob(scope.digest)], scope.user)
    }

    /// The plus sign makes SQLite take the index of the transactions and not the one of the users.
    static let isTransactionOfUser = "transaction_id = ? AND +user_digest = ?"

    /// Returns the verified purchases of a user that the server has not acknowledged, the oldest first.
    func unsyncedPurchases(of scope: PurchaseScope) throws(DatabaseError) -> [Purchase] {
        try purchases(
            "WHERE user_digest = ? AND is_synced = 0 AND is_verified = 1 ORDER BY purchased_at, purchases.id",
            [.blob(scope.digest)], scope.user)
    }

    /// Returns the row of a user's purchase; nil if there is none, or if it was changed, which is reported.
    func purchaseRow(_ id: Purchase.ID, of scope: PurchaseScope) throws(DatabaseError) -> PurchaseRow? {
        try purchaseRow(
            "WHERE \(Self.isPurchase) AND user_digest = ?", Self.values(of: id) + [.blob(scope.digest)], scope.user)
    }

    private static let isPurchase = "transaction_id = ? AND store = ? AND environment = ?"
    private static let latestFirst = "ORDER BY purchased_at DESC, purchases.id DESC"

    static func values(of id: Purchase.ID) -> [SQLiteValue] {
        [.text(id.transactionID), .text(id.origin.rawValue), .text(id.environment?.rawValue ?? "")]
    }

    private func purchases(
        _ condition: String, _ values: [SQLiteValue], _ user: UUIDText?
    ) throws(DatabaseError) -> [Purchase] {
        var purchases: [Purchase] = []
        try forEachPurchase(condition, values) { (columns, content) in
            guard let purchase = PurchaseRow.purchase(columns, content, user: user) else { return nil }
            purchases.append(purchase)
            return purchase.listedFeatures
        }
        return purchases
    }

    private func purchaseRow(
        _ condition: String, _ values: [SQLiteValue], _ user: UUIDText?
    ) throws(DatabaseError) -> PurchaseRow? {
        var found: PurchaseRow?
        try forEachPurchase(condition, values) { (columns, content) in
            found = PurchaseRow(columns, content, user: user)
            return found?.recorded.purchase.listedFeatures
        }
        return found
    }

    /// The rows of the purchases, each once for every row that the index of the features has for it.
    private static let indexedRows = PurchaseRow.table.query(
        with: "feature_id", "LEFT JOIN purchase_features ON purchase_features.purchase_id = purchases.id")

    /// Calls `read` with each row of a condition; rows that were changed are reported, also those of the index.
    ///
    /// - Parameter read: Returns the features that the purchase lists; nil if a value is not one that this version
    ///   writes.
    private func forEachPurchase(
        _ condition: String, _ values: [SQLiteValue],
        _ read: (_ columns: FieldReader, _ content: RawSpan) -> Set<String>?
    ) throws(DatabaseError) {
        var reader = try SealedRowReader(PurchaseRow.table, key)
        var lastID: Int64?
        var listed: Set<String>?
        var indexed: [String] = []
        try connection.forEach(Self.indexedRows + condition, values) { (row) throws(DatabaseError) in
            let id = try row.integer(0)
            if id != lastID {
                if let lastID, let listed { checkIndex(of: lastID, indexed, listed) }
                lastID = id
                indexed.removeAll(keepingCapacity: true)
                listed = try reader.open(row) ? read(reader.columns, reader.content) : nil
                if listed == nil { report(PurchaseRow.table.name, .integer(id)) }
            }
            if let feature = try row.optionalText(reader.nextColumn) { indexed.append(feature) }
        }
        if let lastID, let listed { checkIndex(of: lastID, indexed, listed) }
    }

    // MARK: The index of the features

    /// Reports the features that the index has more or less than a purchase lists.
    private func checkIndex(of id: Int64, _ indexed: [String], _ listed: Set<String>) {
        // The index has no feature of a purchase twice.
        if indexed.count == listed.count, indexed.allSatisfy(listed.contains) { return }
        for feature in listed.symmetricDifference(indexed) {
            report(FeatureIndex.table, .text("\(id) \(feature)"))
        }
    }

    // MARK: Changing

    func recordPurchase(
        _ verified: VerifiedPurchase, for scope: PurchaseScope, at now: Timestamp
    ) throws(DatabaseError) -> RecordOutcome {
        let version = RecordedPurchase(verified, user: scope.user)
        let id = version.purchase.id
        let text = try SignedText(verified.content)
        // The row of any user: a transaction is recorded once.
        let found = try purchaseRow("WHERE \(Self.isPurchase)", Self.values(of: id), scope.user)
        guard let old = found else {
            // It was granted to a user that has been deleted.
            if version.purchase.type == .consumable, try tombstone(of: Self.values(of: id)) != nil {
                return .conflict(.belongsToAnotherAccount)
            }
            try insert(version, text, for: scope, at: now)
            return .inserted
        }
        // What belongs to no account passes to the first account that records it.
        let isUnowned = try old.userDigest == self.scope(of: nil).digest
        guard old.userDigest == scope.digest || isUnowned else { return .conflict(.belongsToAnotherAccount) }
        if let conflict = old.recorded.conflict(with: version) { return .conflict(conflict) }
        var row = PurchaseRow(
            id: old.id, userDigest: scope.digest, old.recorded.merged(with: version), textDigest: old.textDigest,
            createdAt: old.createdAt, updatedAt: old.updatedAt)
        // The server has not heard of its owner.
        if row.userDigest != old.userDigest { row.recorded.purchase.synchronization = .unsynced }
        let isUnchanged = row.recorded.purchase == old.recorded.purchase && row.userDigest == old.userDigest
        guard !isUnchanged || row.recorded.signedDate != old.recorded.signedDate else {
            try FeatureIndex.write(row, in: connection)
            return .unchanged
        }
        if old.recorded.isReplaced(by: version) {
            try store(text)
            row.textDigest = text.digest
        }
        if !isUnchanged { row.updatedAt = now }
        try save(row, over: old, at: now)
        if row.textDigest != old.textDigest { try deleteUnusedText(old.textDigest) }
        return isUnchanged ? .unchanged : .merged
    }

    /// Changes a user's purchase, and appends the events of the change.
    func update(
        _ id: Purchase.ID, of scope: PurchaseScope, at now: Timestamp, _ change: (inout Purchase) -> Void
    ) throws(DatabaseError) {
        guard let old = try purchaseRow(id, of: scope) else {
            throw DatabaseError(.notFound, "the database has no such purchase of this user")
        }
        var row = old
        change(&row.recorded.purchase)
        guard row.recorded != old.recorded else { return }
        row.updatedAt = now
        try save(row, over: old, at: now)
    }

    /// Deletes a user's purchase, also if its row was changed, with its features, its events, its signed text and what
    /// the ledger and the log have about it.
    func delete(_ id: Purchase.ID, of scope: PurchaseScope, at now: Timestamp) throws(DatabaseError) {
        let found = try connection.first(
            "SELECT id, text_digest FROM purchases WHERE \(Self.isPurchase) AND user_digest = ?",
            Self.values(of: id) + [.blob(scope.digest)]
        ) { (row) throws(DatabaseError) in (id: try row.integer(0), text: try row.blob(1)) }
        guard let found else { return }
        try file.noteErasure(DatabaseKey.random())
        try erase(id, purchaseRow(id, of: scope)?.recorded.purchase.type, of: scope)
        try connection.execute("DELETE FROM purchase_events WHERE purchase_id = ?", [.integer(found.id)])
        try connection.execute("DELETE FROM purchases WHERE id = ?", [.integer(found.id)])
        try deleteUnusedText(found.text)
        try append(.deleted, of: found.id, nil, scope.digest, at: now)
        try eraseLogEntries(ofTransaction: id.transactionID, of: scope.digest)
        purchasesHaveChanged()
    }

    private func insert(
        _ version: RecordedPurchase, _ text: SignedText, for scope: PurchaseScope, at now: Timestamp
    ) throws(DatabaseError) {
        // A row of this transaction that was changed is in the way. Its events keep their purchase.
        let damaged = try connection.first(
            "SELECT id, text_digest FROM purchases WHERE \(Self.isPurchase)", Self.values(of: version.purchase.id)
        ) { (row) throws(DatabaseError) in (id: try row.integer(0), text: try row.blob(1)) }
        if let damaged {
            try connection.execute("DELETE FROM purchases WHERE id = ?", [.integer(damaged.id)])
            try deleteUnusedText(damaged.text)
        }
        try store(text)
        // The number of a changed row is not under a seal.
        let known = damaged.map(\.id).flatMap { RowNumbers.valid.contains($0) ? $0 : nil }
        let id = if let known { known } else { try RowNumbers.next(of: PurchaseRow.table.name, in: connection) }
        let row = PurchaseRow(
            id: id, userDigest: scope.digest, version, textDigest: text.digest, createdAt: now, updatedAt: now)
        try save(row, over: nil, at: now)
    }

    private func save(_ row: PurchaseRow, over old: PurchaseRow?, at now: Timestamp) throws(DatabaseError) {
        if old == nil {
            try insert(row.values, content: row.content, into: PurchaseRow.table)
        } else {
            try replace(.integer(row.id), by: row.values, content: row.content, in: PurchaseRow.table)
        }
        try FeatureIndex.write(row, in: connection)
        let purchase = row.recorded.purchase
        for kind in PurchaseEvent.Kind.changes(from: old?.recorded.purchase, to: purchase) {
            // A purchase whose row was damaged is recorded again, but it was completed before.
            if kind == .completed, try hasEvent(kind, of: row.id) { continue }
            try append(kind, of: row.id, purchase, row.userDigest, at: now)
        }
        purchasesHaveChanged()
    }

    // MARK: Events

    /// Returns the kept events of a user after the one with an id; rows that were changed are reported.
    func events(since id: PurchaseEvent.ID?, of scope: PurchaseScope) throws(DatabaseError) -> [PurchaseEvent] {
        try PurchaseEvent.table.rows(
            "WHERE user_digest = ? AND id > ? ORDER BY id", [.blob(scope.digest), .integer(id ?? .min)],
            in: connection, key, onDamage: { report(PurchaseEvent.table.name, $0) }
        ) { PurchaseEvent($0, $1, user: scope.user) }
    }

    private func hasEvent(_ kind: PurchaseEvent.Kind, of purchaseID: Int64) throws(DatabaseError) -> Bool {
        try connection.first(
            "SELECT 1 FROM purchase_events WHERE purchase_id = ? AND kind = ? LIMIT 1",
            [.integer(purchaseID), .text(kind.rawValue)]
        ) { (_) throws(DatabaseError) in true } ?? false
    }

    /// Appends an event, and deletes the oldest ones beyond the limit.
    private func append(
        _ kind: PurchaseEvent.Kind, of purchaseID: Int64, _ purchase: Purchase?, _ userDigest: [UInt8],
        at now: Timestamp
    ) throws(DatabaseError) {
        let id = try RowNumbers.next(of: PurchaseEvent.table.name, in: connection)
        try insert(
            [
                .integer(id), .blob(userDigest), .integer(purchaseID), .text(kind.rawValue),
                .integer(now.millisecondsSince1970),
            ], content: PurchaseEvent.content(purchase), into: PurchaseEvent.table)
        try deleteOldestEvents(through: id)
    }

    /// Deletes the oldest events if there are more than the limit; `last` is the number of the newest.
    private func deleteOldestEvents(through last: Int64) throws(DatabaseError) {
        let limit = Int64(eventLimit)
        // With a high limit, counting takes longer than the record. If all numbers are newer than this one, the events
        // are few enough; otherwise only counting tells, because after a recovery the numbers have a gap.
        let oldest = try connection.first(
            "SELECT id FROM purchase_events WHERE id <= ? LIMIT 1", [.integer(last - limit)]
        ) { (row) throws(DatabaseError) in try row.integer(0) }
        guard oldest != nil else { return }
        let count = try connection.first("SELECT count(*) FROM purchase_events") { (row) throws(DatabaseError) in
            try row.integer(0)
        }
        guard let count, count > limit else { return }
        // Some more go at once, because each deletion writes other pages than those of the newest events.
        try connection.execute(
            "DELETE FROM purchase_events WHERE id IN (SELECT id FROM purchase_events ORDER BY id LIMIT ?)",
            [.integer(count - limit + limit / 100)])
    }
}

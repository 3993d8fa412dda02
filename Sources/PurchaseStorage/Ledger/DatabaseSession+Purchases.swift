import PurchaseCore
import ReceiptTypes
import SQLite

// The tables of the purchases and their events. Each function is part of a transaction of the caller.
extension DatabaseSession {
    static let isPurchase = "transaction_id = ? AND store = ? AND environment = ?"
    static let isTransaction = "transaction_id = ?"
    private static let latestFirst = "ORDER BY purchased_at DESC, id DESC"

    /// Returns the rows of a condition, without those that were changed, which are reported.
    func purchaseRows(_ condition: String, _ values: [SQLiteValue] = []) throws(DatabaseError) -> [PurchaseRow] {
        try PurchaseRow.table.rows(
            condition, values, in: connection, key, onDamage: { report(PurchaseRow.table.name, $0) },
            make: PurchaseRow.init)
    }

    func purchaseRow(_ id: Purchase.ID) throws(DatabaseError) -> PurchaseRow? {
        try purchaseRows("WHERE \(Self.isPurchase)", id.values).first
    }

    func purchaseRows(of user: AppUser) throws(DatabaseError) -> [PurchaseRow] {
        if user == .noAccounts { return try purchaseRows(Self.latestFirst) }
        return try purchaseRows(
            "WHERE user_digest = ? \(Self.latestFirst)", [.blob(try key.digest(ofUser: user.account?.lowercased))])
    }

    /// Stores a purchase, and appends events of it.
    func store(_ row: PurchaseRow, _ events: [PurchaseEvent.Kind], at now: Timestamp) throws(DatabaseError) {
        // Also a row that was changed, which is in the way.
        let stored = try storedPurchase(row.purchase.id)
        let number: Int64
        // The number of a changed row is not under a seal.
        if let stored, RowNumbers.valid.contains(stored.number) {
            number = stored.number
            try replace(
                .integer(number), by: row.values(id: number, key), content: row.content, in: PurchaseRow.table)
        } else {
            if let stored { try connection.execute("DELETE FROM purchases WHERE id = ?", [.integer(stored.number)]) }
            number = try RowNumbers.next(of: PurchaseRow.table.name, in: connection)
            try insert(row.values(id: number, key), content: row.content, into: PurchaseRow.table)
        }
        if let stored, stored.text != row.text.bytes { release(stored.text) }
        for kind in events { try append(kind, of: number, row.purchase, row.purchase.user, at: now) }
        purchasesHaveChanged()
    }

    /// Returns the number and the text of a purchase, also if its row was changed.
    func storedPurchase(
        _ id: Purchase.ID
    ) throws(DatabaseError) -> (number: Int64, text: [UInt8])? {
        try connection.first("SELECT id, text_digest FROM purchases WHERE \(Self.isPurchase)", id.values) {
            (row) throws(DatabaseError) in (number: try row.integer(0), text: try row.blob(1))
        }
    }

    // MARK: Events

    /// Returns the kept events of a user after the one with an id; rows that were changed are reported.
    func events(of user: AppUser, since id: PurchaseEvent.ID?) throws(DatabaseError) -> [PurchaseEvent] {
        let (condition, values) = try isEvent(of: user)
        return try events("WHERE \(condition) AND id > ? ORDER BY id", values + [.integer(id ?? .min)]) {
            report(PurchaseEvent.table.name, $0)
        }
    }

    func events(
        _ condition: String, _ values: [SQLiteValue], onDamage: (SQLiteValue) -> Void
    ) throws(DatabaseError) -> [PurchaseEvent] {
        try PurchaseEvent.table.rows(
            condition, values, in: connection, key, onDamage: onDamage, make: PurchaseEvent.init)
    }

    /// Returns the condition of an event of a user, with its values.
    func isEvent(of user: AppUser) throws(DatabaseError) -> (condition: String, values: [SQLiteValue]) {
        if user == .noAccounts { return ("true", []) }
        return ("user_digest = ?", [.blob(try key.digest(ofUser: user.account?.lowercased))])
    }

    /// Appends an event, and deletes the oldest ones beyond the limit.
    func append(
        _ kind: PurchaseEvent.Kind, of number: Int64, _ purchase: Purchase?, _ account: UUIDText?, at now: Timestamp
    ) throws(DatabaseError) {
        let id = try RowNumbers.next(of: PurchaseEvent.table.name, in: connection)
        try insert(
            [
                .integer(id), .blob(try key.digest(ofUser: account)), .integer(number), .text(kind.rawValue),
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

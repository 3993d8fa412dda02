import PurchaseCore
import ReceiptTypes

// The rows of the journal. Each function is part of a transaction of the caller.
extension PurchaseDatabase {
    // MARK: Entries

    /// Returns the rows of a condition, without those that were changed, which are reported.
    func entryRows(_ condition: String, _ values: [SQLiteValue] = []) throws(DatabaseError) -> [EntryRow] {
        try EntryRow.table.rows(
            condition, values, in: connection, key, onDamage: { report(EntryRow.table.name, $0) }, make: EntryRow.init)
    }

    /// Returns the row of a signed text.
    func entryRow(_ digest: [UInt8]) throws(DatabaseError) -> EntryRow? {
        try entryRows("WHERE text_digest = ?", [.blob(digest)]).first
    }

    /// Returns the entry of a row; nil if its signed text is missing or was changed, which is reported.
    func entry(_ row: EntryRow) throws(DatabaseError) -> JournalEntry? {
        guard let parts = try signedText(row.textDigest) else { return nil }
        return row.entry(parts)
    }

    func entries(_ condition: String, _ values: [SQLiteValue] = []) throws(DatabaseError) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for row in try entryRows(condition, values) {
            if let entry = try entry(row) { entries.append(entry) }
        }
        return entries
    }

    func replace(_ digest: [UInt8], by row: EntryRow) throws(DatabaseError) {
        try replace(.blob(digest), by: row.values(key), content: row.content, in: EntryRow.table)
    }

    /// Deletes an entry and its signed text.
    func deleteEntry(_ digest: [UInt8]) throws(DatabaseError) {
        try connection.execute("DELETE FROM journal_entries WHERE text_digest = ?", [.blob(digest)])
        try deleteUnusedText(digest)
    }

    /// Changes the row of a signed text; nil if it has not reached a stage, or if `change` returns false.
    func update(
        _ text: String, from stage: JournalStage, _ change: (inout EntryRow) -> Bool
    ) throws(DatabaseError) -> Void? {
        let digest = try SignedText.digest(of: text)
        guard var row = try entryRow(digest), row.stage >= stage, change(&row) else { return nil }
        return try replace(digest, by: row)
    }

    /// Moves the row of a signed text to a stage; nil if it has not reached the one before.
    func advance(
        _ text: String, from earlier: JournalStage, to stage: JournalStage
    ) throws(DatabaseError) -> Void? {
        try update(text, from: earlier) { row in
            row.stage = max(row.stage, stage)
            return true
        }
    }

    /// Stores a row as verified in the place of the row of a text, and deletes texts that no row needs any more.
    func moveToVerified(
        _ row: inout EntryRow, from digest: [UInt8], unused: [UInt8]
    ) throws(DatabaseError) -> JournalEntry? {
        row.stage = max(row.stage, .verified)
        row.quarantineReason = nil
        row.objection = nil
        try replace(digest, by: row)
        try deleteUnusedText(digest)
        try deleteUnusedText(unused)
        return try entry(row)
    }

    // MARK: Fulfilments, claims and renewal infos

    static let fulfilments = SealedTable("fulfilments", ["purchase_digest", "fulfilment", "product_id", "quantity"])
    static let renewalInfos = SealedTable("renewal_infos", ["original_id", "signed_date", "text_digest"])

    private func digest(of purchase: PurchaseKey) throws(DatabaseError) -> SQLiteValue {
        try key.digest(ofPurchase: .text(purchase.description))
    }

    /// Returns the columns of a fulfilment after the first one; nil if none is stored, or if it was changed, which is
    /// reported.
    func fulfilmentRow(of purchase: String) throws(DatabaseError) -> [SQLiteValue]? {
        let rows = try Self.fulfilments.rows(
            "WHERE purchase_digest = ?", [try key.digest(ofPurchase: .text(purchase))], in: connection, key
        ) { report(Self.fulfilments.name, $0) }
        return rows.first.map { [SQLiteValue]($0.dropFirst()) }
    }

    /// Returns the fulfilment of a purchase; nil if none is stored, or if it was changed, which is reported.
    func fulfilment(of key: PurchaseKey) throws(DatabaseError) -> FulfilledAmount? {
        // A purchase of a deleted user that the store delivers again is not granted again.
        let row =
            if let row = try fulfilmentRow(of: key.description) { row } else {
                try tombstone(of: [.text(key.description)])
            }
        return row.flatMap(Self.fulfilment)
    }

    /// Returns the fulfilment of columns; nil if a value is not one that this version writes.
    static func fulfilment(_ columns: [SQLiteValue]) -> FulfilledAmount? {
        guard case .text(let name)? = columns.first else { return nil }
        switch Fulfilment(rawValue: name) {
        case .revoked: return .revoked
        case .granted:
            guard columns.count == 3, case .text(let productID) = columns[1], case .integer(let number) = columns[2],
                let quantity = Int(exactly: number)
            else { return nil }
            return .granted(productID: productID, quantity: quantity)
        case nil: return nil
        }
    }

    func store(_ fulfilment: FulfilledAmount, of key: PurchaseKey) throws(DatabaseError) {
        let digest = try digest(of: key)
        try connection.execute("DELETE FROM fulfilments WHERE purchase_digest = ?", [digest])
        try insert([digest] + Self.columns(of: fulfilment), into: Self.fulfilments)
    }

    /// Returns the columns of a fulfilment after the first one.
    static func columns(of fulfilment: FulfilledAmount) -> [SQLiteValue] {
        switch fulfilment {
        case .granted(let productID, let quantity):
            [.text(Fulfilment.granted.rawValue), .text(productID), .integer(Int64(quantity))]
        case .revoked: [.text(Fulfilment.revoked.rawValue), .null, .null]
        }
    }

    /// Returns the claim of a purchase, in force or not, or what stays of one after its release.
    func claim(of key: PurchaseKey) throws(DatabaseError) -> FulfilmentClaim? {
        try connection.first(
            "SELECT number, start_at, end_at, follows_unanswered FROM claims WHERE purchase_digest = ?",
            [try digest(of: key)]
        ) { (row) throws(DatabaseError) in
            FulfilmentClaim(
                key: key, number: Int(truncatingIfNeeded: try row.integer(0)),
                start: Timestamp(clamping: try row.integer(1)), end: Timestamp(clamping: try row.integer(2)),
                followsUnanswered: try row.integer(3) != 0)
        }
    }

    /// Returns a claim as it is stored; nil if it was ended, released or replaced.
    func stored(_ claim: FulfilmentClaim) throws(DatabaseError) -> FulfilmentClaim? {
        guard let stored = try self.claim(of: claim.key), stored.number == claim.number, !stored.isReleased
        else { return nil }
        return stored
    }

    func insertClaim(
        of key: PurchaseKey, from start: Timestamp, until end: Timestamp, followsUnanswered: Bool
    ) throws(DatabaseError) -> FulfilmentClaim {
        let number = try RowNumbers.next(of: ClaimTimes.table, in: connection)
        let claim = FulfilmentClaim(
            key: key, number: Int(truncatingIfNeeded: number), start: start, end: end,
            followsUnanswered: followsUnanswered)
        // The times of the claim, whose length is limited.
        try connection.execute(
            """
            INSERT INTO claims (number, purchase_digest, start_at, end_at, follows_unanswered)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                .integer(number), try digest(of: key), .integer(claim.start.millisecondsSince1970),
                .integer(claim.end.millisecondsSince1970), .integer(followsUnanswered ? 1 : 0),
            ])
        return claim
    }

    /// Stores the times of a claim.
    func update(_ claim: FulfilmentClaim) throws(DatabaseError) {
        try connection.execute(
            "UPDATE claims SET start_at = ?, end_at = ? WHERE purchase_digest = ?",
            [
                .integer(claim.start.millisecondsSince1970), .integer(claim.end.millisecondsSince1970),
                try digest(of: claim.key),
            ])
    }

    func deleteClaim(of key: PurchaseKey) throws(DatabaseError) {
        try connection.execute("DELETE FROM claims WHERE purchase_digest = ?", [try digest(of: key)])
    }

    func renewalRows(
        _ condition: String, _ values: [SQLiteValue] = []
    ) throws(DatabaseError) -> [(signedDate: Timestamp, textDigest: [UInt8])] {
        try Self.renewalInfos.rows(
            condition, values, in: connection, key, onDamage: { report(Self.renewalInfos.name, $0) }
        ) { (columns, _) in
            var columns = columns
            guard columns.text() != nil, let signedDate = columns.timestamp(), let digest = columns.blob()
            else { return nil }
            return (signedDate, digest)
        }
    }

    // MARK: Memory

    static let memoryPlace = SealedFields(of: "journal_memory", [.text("memory")])

    /// Returns the stored memory; an empty one if none is stored, or if it was changed, which is reported.
    func journalMemory() throws(DatabaseError) -> JournalMemory {
        let sealed = try connection.first("SELECT sealed FROM journal_memory WHERE name = 'memory'") {
            (row) throws(DatabaseError) in try row.blob(0)
        }
        guard let sealed else { return JournalMemory() }
        guard let bytes = try key.open(sealed, Self.memoryPlace),
            let memory = bytes.readFields(of: JournalMemory.fieldsName, JournalMemory.init)
        else {
            report("journal_memory", .text("memory"))
            return JournalMemory()
        }
        return memory
    }

    func store(_ memory: JournalMemory) throws(DatabaseError) {
        try connection.execute(
            "INSERT OR REPLACE INTO journal_memory (name, sealed) VALUES ('memory', ?)",
            [.blob(try key.seal(memory.fields.bytes, Self.memoryPlace))])
        noteWritten("journal_memory", .text("memory"))
    }
}

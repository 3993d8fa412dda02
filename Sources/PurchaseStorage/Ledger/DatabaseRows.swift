import PurchaseCore
import ReceiptTypes
import SQLite

/// The rows of a ledger in a database, within a transaction.
struct DatabaseRows: LedgerRows {
    let session: DatabaseSession

    /// Returns the result of a call to the database, whose error the ledger finds again as the underlying one.
    @discardableResult
    private func call<Value>(
        _ body: (DatabaseSession) throws(DatabaseError) -> Value
    ) throws(LedgerError) -> Value {
        do throws(DatabaseError) {
            return try body(session)
        } catch {
            throw LedgerError(.notReadable, error.message, underlying: error)
        }
    }

    func digest(of text: String) throws(LedgerError) -> TextDigest {
        TextDigest(try call { (_) throws(DatabaseError) in try SignedText.digest(of: text) })
    }

    // MARK: Deliveries

    func delivery(_ text: TextDigest) throws(LedgerError) -> DeliveryRow? {
        try deliveries("WHERE text_digest = ?", [.blob(text.bytes)]).first
    }

    func deliveries() throws(LedgerError) -> [DeliveryRow] { try deliveries("ORDER BY number", []) }

    func deliveries(ofVersion id: String) throws(LedgerError) -> [DeliveryRow] {
        try deliveries("WHERE verified_id = ? ORDER BY number", [.text(id)])
    }

    func deliveries(of key: PurchaseKey) throws(LedgerError) -> [DeliveryRow] {
        try deliveries("WHERE purchase_key = ? ORDER BY number", [.text(key.description)])
    }

    private func deliveries(
        _ condition: String, _ values: [SQLiteValue]
    ) throws(LedgerError) -> [DeliveryRow] {
        try call { (session) throws(DatabaseError) in try session.deliveryRows(condition, values) }
    }

    func content(_ text: TextDigest) throws(LedgerError) -> SignedContent? {
        try call { (session) throws(DatabaseError) in
            try session.signedText(text.bytes).flatMap { SignedContent(parts: $0) }
        }
    }

    func insert(_ row: DeliveryRow, _ content: SignedContent) throws(LedgerError) {
        try call { (session) throws(DatabaseError) in
            try session.store(SignedText(content))
            try session.insert(row.values(session.key), content: row.content, into: DeliveryRow.table)
        }
    }

    func replace(_ text: TextDigest, by row: DeliveryRow) throws(LedgerError) {
        try call { (session) throws(DatabaseError) in
            try session.replace(
                .blob(text.bytes), by: row.values(session.key), content: row.content, in: DeliveryRow.table)
            if row.text != text { session.release(text.bytes) }
        }
    }

    func deleteDelivery(_ text: TextDigest) throws(LedgerError) {
        try call { (session) throws(DatabaseError) in try session.deleteDelivery(text.bytes) }
    }

    // MARK: Purchases and their events

    func purchase(_ id: Purchase.ID) throws(LedgerError) -> PurchaseRow? {
        try call { (session) throws(DatabaseError) in try session.purchaseRow(id) }
    }

    func purchases(ofTransaction id: String) throws(LedgerError) -> [PurchaseRow] {
        try call { (session) throws(DatabaseError) in
            try session.purchaseRows("WHERE \(DatabaseSession.isTransaction)", [.text(id)])
        }
    }

    func purchases(of user: AppUser) throws(LedgerError) -> [PurchaseRow] {
        try call { (session) throws(DatabaseError) in try session.purchaseRows(of: user) }
    }

    func put(_ row: PurchaseRow, _ events: [PurchaseEvent.Kind], at now: Timestamp) throws(LedgerError) {
        try call { (session) throws(DatabaseError) in try session.store(row, events, at: now) }
    }

    func events(of user: AppUser, since id: PurchaseEvent.ID?) throws(LedgerError) -> [PurchaseEvent] {
        try call { (session) throws(DatabaseError) in try session.events(of: user, since: id) }
    }

    // MARK: Hand-overs

    func fulfilment(of key: PurchaseKey) throws(LedgerError) -> FulfilledAmount? {
        try call { (session) throws(DatabaseError) in
            try session.fulfilmentRow(of: key.description).flatMap(DatabaseSession.fulfilment)
        }
    }

    func put(_ fulfilment: FulfilledAmount, of key: PurchaseKey) throws(LedgerError) {
        try call { (session) throws(DatabaseError) in
            let digest = try session.digest(of: key)
            try session.connection.execute("DELETE FROM fulfilments WHERE purchase_digest = ?", [digest])
            try session.insert([digest] + DatabaseSession.columns(of: fulfilment), into: DatabaseSession.fulfilments)
        }
    }

    func tombstone(of key: PurchaseKey) throws(LedgerError) -> ErasedPurchase? {
        try call { (session) throws(DatabaseError) in
            try session.tombstone(of: [.text(key.description)]).map { ErasedPurchase(DatabaseSession.fulfilment($0)) }
        }
    }

    func deleteTombstone(of key: PurchaseKey) throws(LedgerError) {
        try call { (session) throws(DatabaseError) in try session.deleteTombstone(of: [.text(key.description)]) }
    }

    func claim(of key: PurchaseKey) throws(LedgerError) -> FulfilmentClaim? {
        try call { (session) throws(DatabaseError) in
            try session.connection.first(
                "SELECT number, start_at, end_at, follows_unanswered FROM claims WHERE purchase_digest = ?",
                [session.digest(of: key)]
            ) { (row) throws(DatabaseError) in
                FulfilmentClaim(
                    key: key, number: Int(truncatingIfNeeded: try row.integer(0)),
                    start: Timestamp(clamping: try row.integer(1)), end: Timestamp(clamping: try row.integer(2)),
                    followsUnanswered: try row.integer(3) != 0)
            }
        }
    }

    func put(_ claim: FulfilmentClaim) throws(LedgerError) {
        try deleteClaim(of: claim.key)
        try call { (session) throws(DatabaseError) in
            try session.connection.execute(
                """
                INSERT INTO claims (number, purchase_digest, start_at, end_at, follows_unanswered)
                VALUES (?, ?, ?, ?, ?)
                """,
                [
                    .integer(Int64(claim.number)), session.digest(of: claim.key),
                    .integer(claim.start.millisecondsSince1970), .integer(claim.end.millisecondsSince1970),
                    .integer(claim.followsUnanswered ? 1 : 0),
                ])
        }
    }

    func deleteClaim(of key: PurchaseKey) throws(LedgerError) {
        try call { (session) throws(DatabaseError) in
            try session.connection.execute(
                "DELETE FROM claims WHERE purchase_digest = ?", [session.digest(of: key)])
        }
    }

    func nextClaimNumber() throws(LedgerError) -> Int {
        try call { (session) throws(DatabaseError) in
            Int(truncatingIfNeeded: try RowNumbers.next(of: ClaimTimes.table, in: session.connection))
        }
    }

    // MARK: Renewal infos and memory

    func renewals() throws(LedgerError) -> [RenewalRow] {
        try call { (session) throws(DatabaseError) in try session.renewalRows("ORDER BY original_id") }
    }

    func renewal(of originalID: String) throws(LedgerError) -> RenewalRow? {
        try call { (session) throws(DatabaseError) in
            try session.renewalRows("WHERE original_id = ?", [.text(originalID)]).first
        }
    }

    func put(_ renewal: RenewalRow, jws: String) throws(LedgerError) {
        let id = SQLiteValue.text(renewal.originalID)
        try call { (session) throws(DatabaseError) in
            let texts = try session.connection.rows(
                "SELECT text_digest FROM renewal_infos WHERE original_id = ?", [id]
            ) { (row) throws(DatabaseError) in try row.blob(0) }
            try session.store(SignedText(jws: jws))
            try session.connection.execute("DELETE FROM renewal_infos WHERE original_id = ?", [id])
            try session.insert(
                [id, .integer(renewal.signedDate.millisecondsSince1970), .blob(renewal.text.bytes)],
                into: DatabaseSession.renewalInfos)
            for text in texts { session.release(text) }
        }
    }

    func memory() throws(LedgerError) -> LedgerMemory {
        try call { (session) throws(DatabaseError) in try session.ledgerMemory() }
    }

    func put(_ memory: LedgerMemory) throws(LedgerError) {
        try call { (session) throws(DatabaseError) in try session.store(memory) }
    }
}

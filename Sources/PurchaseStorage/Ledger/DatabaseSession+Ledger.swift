import PurchaseCore
import ReceiptTypes
import SQLite

// The tables of a ledger. Each function is part of a transaction of the caller.
extension DatabaseSession {
    // MARK: Deliveries

    /// Returns the rows of a condition, without those that were changed, which are reported.
    func deliveryRows(_ condition: String, _ values: [SQLiteValue] = []) throws(DatabaseError) -> [DeliveryRow] {
        try DeliveryRow.table.rows(
            condition, values, in: connection, key, onDamage: { report(DeliveryRow.table.name, $0) },
            make: DeliveryRow.init)
    }

    /// Deletes a delivery and, at the end of the transaction, its signed text.
    func deleteDelivery(_ text: [UInt8]) throws(DatabaseError) {
        try connection.execute("DELETE FROM deliveries WHERE text_digest = ?", [.blob(text)])
        release(text)
    }

    // MARK: Hand-overs

    static let fulfilments = SealedTable("fulfilments", ["purchase_digest", "fulfilment", "product_id", "quantity"])

    func digest(of purchase: PurchaseKey) throws(DatabaseError) -> SQLiteValue {
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

    /// Returns the columns of a fulfilment after the first one.
    static func columns(of fulfilment: FulfilledAmount) -> [SQLiteValue] {
        switch fulfilment {
        case .granted(let productID, let quantity):
            [.text(Fulfilment.granted.rawValue), .text(productID), .integer(Int64(quantity))]
        case .revoked: [.text(Fulfilment.revoked.rawValue), .null, .null]
        }
    }

    // MARK: Renewal infos and memory

    static let renewalInfos = SealedTable("renewal_infos", ["original_id", "signed_date", "text_digest"])

    func renewalRows(_ condition: String, _ values: [SQLiteValue] = []) throws(DatabaseError) -> [RenewalRow] {
        try Self.renewalInfos.rows(
            condition, values, in: connection, key, onDamage: { report(Self.renewalInfos.name, $0) }
        ) { (columns, _) in
            var columns = columns
            guard let id = columns.text(), let signedDate = columns.timestamp(), let text = columns.blob()
            else { return nil }
            return RenewalRow(originalID: id, signedDate: signedDate, text: TextDigest(text))
        }
    }

    static let memoryPlace = SealedFields(of: "memory", [.text("memory")])

    /// Returns the stored memory; an empty one if none is stored, or if it was changed, which is reported.
    func ledgerMemory() throws(DatabaseError) -> LedgerMemory {
        let sealed = try connection.first("SELECT sealed FROM memory WHERE name = 'memory'") {
            (row) throws(DatabaseError) in try row.blob(0)
        }
        guard let sealed else { return LedgerMemory() }
        guard let bytes = try key.open(sealed, Self.memoryPlace),
            let memory = bytes.readFields(of: LedgerMemory.fieldsName, LedgerMemory.init)
        else {
            report("memory", .text("memory"))
            return LedgerMemory()
        }
        return memory
    }

    func store(_ memory: LedgerMemory) throws(DatabaseError) {
        try connection.execute(
            "INSERT OR REPLACE INTO memory (name, sealed) VALUES ('memory', ?)",
            [.blob(try key.seal(memory.fields.bytes, Self.memoryPlace))])
        noteWritten("memory", .text("memory"))
    }
}

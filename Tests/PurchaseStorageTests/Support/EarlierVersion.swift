import PurchaseCore
import ReceiptTypes
import SQLite

@testable import PurchaseStorage

extension TestDatabase {
    /// The account of the first entry of an earlier version, as its owner wrote it.
    static let earlierAccount = PurchaseSample.alice.rawValue.uppercased()

    /// Makes a file of an earlier version, with two finished purchases of the transactions `0` and `1` in its journal
    /// and, as the log exists, an entry about the second one.
    ///
    /// The first one belongs to Alice and the second one to no account.
    func makeEarlierVersion(_ version: Int64) throws {
        let key = try PurchaseSample.require(DatabaseKey(Self.key))
        let connection = try newFile()
        try Migrator(migrations: Migration.all.filter { $0.version <= version }).migrate(connection, key)
        func insert(_ values: [SQLiteValue], content: [UInt8] = [], into table: SealedTable) throws {
            let columns = Migration.formerColumns(of: table.name, at: version)?.dropLast() ?? table.columns[...]
            try SealedTable(table.name, Array(columns)).insert(values, content: content, into: connection, key)
        }
        func purchase(_ purchaseKey: String) throws -> SQLiteValue {
            version < 7 ? .text(purchaseKey) : try key.digest(ofPurchase: .text(purchaseKey))
        }
        for (number, account) in [Self.earlierAccount, nil].enumerated() {
            let text = try SignedText(jws: "jws-\(number)")
            try connection.execute(
                "INSERT INTO signed_texts VALUES (?, ?)",
                [.blob(text.digest), .blob(try SignedTextRow.seal(text.parts, text.digest, key))])
            let bytes = SQLiteValue.blob([UInt8](repeating: 0, count: 32))
            var owner = SQLiteValue(account)
            var content: [UInt8] = []
            if version >= 5 {
                content = SealedFields(of: "journal entry", [owner]).bytes
                if let account { owner = .blob(try key.digest(ofUser: UUIDText(account).lowercased)) }
            }
            try insert(
                [
                    .blob(text.digest), .text("app-store"), .text("\(number)"), .text("coins"), .null, .text("update"),
                    .integer(0), .integer(4), .null, owner, .text("version \(number)"), bytes,
                    .text("transaction \(number)"), bytes, .integer(0),
                ], content: content, into: DeliveryRow.table)
            try insert(
                [try purchase("transaction \(number)"), .text("granted"), .text("coins"), .integer(1)],
                into: DatabaseSession.fulfilments)
        }
        if version >= 6 {
            let content = SealedFields(
                of: "log entry", [.text("error"), .text("store-failed"), .null, .text("1"), .text("offline")])
            try insert(
                [.integer(1), .integer(0)] + (version < 9 ? [] : [.null]), content: content.bytes,
                into: DatabaseSession.logEntries)
        }
        try connection.execute("INSERT INTO claims VALUES (7, ?, 0, 60000, 0)", [try purchase("transaction 1")])
    }
}

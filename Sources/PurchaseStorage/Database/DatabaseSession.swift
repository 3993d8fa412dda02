import PurchaseCore
import SQLite

/// The connection and the key that a transaction works with, and what it has found and changed.
///
/// It belongs to one ``PurchaseDatabase``, which runs one transaction at a time.
final class DatabaseSession {
    /// What is reported after the end of a transaction.
    struct Findings: Sendable {
        var damage: [DamagedRow] = []
        /// The rows that were written, if damaged rows are known.
        var written: Set<DamagedRow> = []
        var hasChangedPurchases = false
    }

    /// The connection to the file, which is another one after the file was replaced.
    var connection: SQLiteConnection
    let key: DatabaseKey
    let file: DatabaseFile
    /// The largest number of kept events.
    let eventLimit: Int
    /// The findings of the current transaction.
    private(set) var findings = Findings()
    private var tracksWrites = false
    /// The signed texts that a delivery or a renewal info has lost in the current transaction.
    private var releasedTexts: Set<[UInt8]> = []

    init(_ connection: SQLiteConnection, _ key: DatabaseKey, _ file: DatabaseFile, eventLimit: Int) {
        self.connection = connection
        self.key = key
        self.file = file
        self.eventLimit = eventLimit
    }

    /// Forgets the findings of the transaction before.
    ///
    /// - Parameter tracksWrites: Whether to note the rows that are written.
    func begin(tracksWrites: Bool) {
        findings = Findings()
        releasedTexts = []
        self.tracksWrites = tracksWrites
    }

    /// Reports a damaged row, and ignores it.
    func report(_ table: String, _ identity: SQLiteValue) {
        findings.damage.append(DamagedRow(table, identity))
        tracksWrites = true
    }

    /// Notes a row that was written, so that it is reported again if it is damaged later.
    func noteWritten(_ table: String, _ identity: SQLiteValue) {
        if tracksWrites { findings.written.insert(DamagedRow(table, identity)) }
    }

    /// Inserts a row under a seal.
    func insert(
        _ values: [SQLiteValue], content: [UInt8] = [], into table: SealedTable
    ) throws(DatabaseError) {
        try table.insert(values, content: content, into: connection, key)
        noteWritten(table.name, values.first ?? .null)
    }

    /// Replaces the row under a seal whose first column has a value.
    func replace(
        _ first: SQLiteValue, by values: [SQLiteValue], content: [UInt8] = [], in table: SealedTable
    ) throws(DatabaseError) {
        try table.replace(first, by: values, content: content, in: connection, key)
        noteWritten(table.name, values.first ?? .null)
    }

    /// Wakes the observers of the purchases after the transaction.
    func purchasesHaveChanged() { findings.hasChangedPurchases = true }

    /// Notes a signed text that a row has lost; it is deleted at the end of the transaction unless a row has it then.
    func release(_ text: [UInt8]) { releasedTexts.insert(text) }

    /// Deletes the signed texts that no row has any more.
    func deleteReleasedTexts() throws(DatabaseError) {
        for text in releasedTexts { try deleteUnusedText(text) }
        releasedTexts = []
    }
}

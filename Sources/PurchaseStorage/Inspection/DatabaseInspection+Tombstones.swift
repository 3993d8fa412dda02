package import PurchaseCore
import SQLite

extension DatabaseInspection {
    /// Returns the tombstones.
    package func tombstones() throws(DatabaseError) -> [Tombstone] {
        let own = try key.tombstoneKeyBytes()
        var keys = [try key.tombstoneKey().id(): own]
        let stored = DatabaseSession.tombstoneKeys
        let imported = try stored.rows("", in: connection, key, onDamage: report(stored.name)) { columns, content in
            var columns = columns
            return columns.blob().map { (id: $0, key: content.bytes) }
        }
        for key in imported { keys[key.id] = key.key }
        let table = DatabaseSession.tombstones
        let rows = try table.rows("ORDER BY digest", in: connection, key, onDamage: report(table.name)) {
            columns, content in
            var columns = columns
            return columns.blob().flatMap { digest in TombstoneContent(content).map { (digest, $0) } }
        }
        return rows.compactMap { digest, content in
            guard let key = keys[content.keyID] else {
                omit(Omission(row: DamagedRow(stored.name, .blob(content.keyID)), isMissing: true))
                return nil
            }
            return Tombstone(key: key, digest: digest, fulfilment: DatabaseSession.fulfilment(content.fulfilment))
        }
    }
}

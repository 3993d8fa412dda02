package import PurchaseCore
import SQLite

extension DatabaseInspection {
    /// Returns the tombstones, and the number of those of earlier versions, whose key is that of the database itself
    /// and is not passed on.
    package func tombstones() throws(DatabaseError) -> (tombstones: [Tombstone], withoutKey: Int) {
        let own = try key.tombstoneKeyBytes()
        var keys = [try key.tombstoneKey().id(): own]
        let stored = DatabaseSession.tombstoneKeys
        let imported = try stored.rows("", in: connection, key, onDamage: report(stored.name)) { columns, content in
            var columns = columns
            return columns.blob().map { (id: $0, key: content.bytes) }
        }
        for key in imported { keys[key.id] = key.key }
        var (tombstones, withoutKey): ([Tombstone], Int) = ([], 0)
        let table = DatabaseSession.tombstones
        let rows = try table.rows("ORDER BY digest", in: connection, key, onDamage: report(table.name)) {
            columns, content in
            var columns = columns
            return columns.blob().flatMap { digest in TombstoneContent(content).map { (digest, $0) } }
        }
        for (digest, content) in rows {
            let tombstone = content.keyID.flatMap { keys[$0] }.flatMap { key in
                Tombstone(
                    key: key, digest: digest, fulfilment: DatabaseSession.fulfilment(content.fulfilment))
            }
            if let tombstone { tombstones.append(tombstone) } else { withoutKey += 1 }
        }
        return (tombstones, withoutKey)
    }
}

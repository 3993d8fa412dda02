package import PurchaseCore

extension DatabaseInspection {
    /// Returns the tombstones, and the number of those of earlier versions, whose key is that of the database itself and is
    /// not passed on.
    package func tombstones() throws(DatabaseError) -> (tombstones: [Tombstone], withoutKey: Int) {
        let own = try key.tombstoneKeyBytes()
        var keys = [try key.tombstoneKey().id(): own]
        let stored = PurchaseDatabase.tombstoneKeys
        for row in try stored.rowsWithContent("", in: connection, key, onDamage: report(stored.name)) {
            if case .blob(let id)? = row.values.first { keys[id] = row.content }
        }
        var (tombstones, withoutKey): ([Tombstone], Int) = ([], 0)
        let table = PurchaseDatabase.tombstones
        for row in try table.rowsWithContent("ORDER BY digest", in: connection, key, onDamage: report(table.name)) {
            guard case .blob(let digest)? = row.values.first, let content = TombstoneContent(row.content) else {
                continue
            }
            let tombstone = content.keyID.flatMap { keys[$0] }.flatMap { key in
                Tombstone(
                    key: key, digest: digest, fulfilment: PurchaseDatabase.fulfilment(content.fulfilment))
            }
            if let tombstone { tombstones.append(tombstone) } else { withoutKey += 1 }
        }
        return (tombstones, withoutKey)
    }
}

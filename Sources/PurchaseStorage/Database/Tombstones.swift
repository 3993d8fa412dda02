import PurchaseCore

// What is left of a deleted user's purchases: a keyed digest of each purchase that was granted, and its last fulfilment.
// The digest finds a purchase that the store delivers again, and without the key nothing can be found with it.
extension PurchaseDatabase {
    static let tombstones = SealedTable("tombstones", ["digest"])
    private static let contentName = "tombstone"

    /// Stores a tombstone; an earlier one of the same purchase is replaced.
    func storeTombstone(of purchase: [SQLiteValue], _ content: [SQLiteValue] = []) throws(DatabaseError) {
        try deleteTombstone(of: purchase)
        let content = SealedFields(of: Self.contentName, content).bytes
        try insert([.blob(try tombstoneDigest(of: purchase))], content: content, into: Self.tombstones)
    }

    func deleteTombstone(of purchase: [SQLiteValue]) throws(DatabaseError) {
        try connection.execute("DELETE FROM tombstones WHERE digest = ?", [.blob(try tombstoneDigest(of: purchase))])
    }

    /// Returns the last fulfilment of a purchase of a deleted user; nil if there is none, or if it was changed, which is
    /// reported.
    func tombstone(of purchase: [SQLiteValue]) throws(DatabaseError) -> [SQLiteValue]? {
        try Self.tombstones.rows(
            "WHERE digest = ?", [.blob(try tombstoneDigest(of: purchase))], in: connection, key,
            onDamage: { report(Self.tombstones.name, $0) }
        ) { (_, content) in
            content.readFields(of: Self.contentName) { fields in
                var fields = fields
                return fields.values()
            }
        }.first
    }

    private func tombstoneDigest(of purchase: [SQLiteValue]) throws(DatabaseError) -> [UInt8] {
        try key.digest(of: SealedFields(of: Self.contentName, purchase))
    }
}

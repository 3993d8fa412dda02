import PurchaseCore
import SQLite

// What is left of a deleted user's purchases: a keyed digest of each purchase that was granted, and its last
// fulfilment. The digest finds a purchase that the store delivers again, and without the key nothing can be found with
// it.
//
// The key is derived from that of the database, so an export can pass it on without opening the database. A database
// that has imported tombstones keeps their keys, and looks for a purchase under each of them.

extension DatabaseSession {
    static let tombstones = SealedTable("tombstones", ["digest"])
    static let tombstoneKeys = SealedTable("tombstone_keys", ["id"])

    /// Stores a tombstone; an earlier one of the same purchase is replaced.
    func storeTombstone(of purchase: [SQLiteValue], _ content: [SQLiteValue] = []) throws(DatabaseError) {
        try deleteTombstone(of: purchase)
        let own = try key.tombstoneKey()
        try insertTombstone(try own.digest(ofTombstone: purchase), TombstoneContent(keyID: try own.id(), content))
    }

    func insertTombstone(_ digest: [UInt8], _ content: TombstoneContent) throws(DatabaseError) {
        try insert([.blob(digest)], content: content.bytes, into: Self.tombstones)
    }

    func deleteTombstone(of purchase: [SQLiteValue]) throws(DatabaseError) {
        for digest in try tombstoneDigests(of: purchase) {
            try connection.execute("DELETE FROM tombstones WHERE digest = ?", [.blob(digest)])
        }
    }

    /// Returns the last fulfilment of a purchase of a deleted user; nil if there is none, or if it was changed, which
    /// is reported.
    func tombstone(of purchase: [SQLiteValue]) throws(DatabaseError) -> [SQLiteValue]? {
        for digest in try tombstoneDigests(of: purchase) {
            let contents = try Self.tombstones.rows(
                "WHERE digest = ?", [.blob(digest)], in: connection, key,
                onDamage: { report(Self.tombstones.name, $0) }
            ) { _, content in TombstoneContent(content) }
            if let content = contents.first { return content.fulfilment }
        }
        return nil
    }

    /// Returns the digests under which a purchase may have a tombstone: of this database, and
    /// of the databases whose tombstones were imported.
    private func tombstoneDigests(of purchase: [SQLiteValue]) throws(DatabaseError) -> [[UInt8]] {
        var keys = [try key.tombstoneKey()]
        keys += try Self.tombstoneKeys.rows("", in: connection, key, onDamage: { _ in }) { _, content in
            DatabaseKey(content.bytes)
        }
        var digests: [[UInt8]] = []
        for key in keys { digests.append(try key.digest(ofTombstone: purchase)) }
        return digests
    }
}

/// What the seal of a tombstone contains.
struct TombstoneContent {
    /// The digest of the key.
    let keyID: [UInt8]
    /// The columns of the fulfilment after the first one; empty if only the record of the purchase is known.
    let fulfilment: [SQLiteValue]

    private static let name = "tombstone"

    init(keyID: [UInt8], _ fulfilment: [SQLiteValue]) {
        self.keyID = keyID
        self.fulfilment = fulfilment
    }

    init?(_ content: RawSpan) {
        guard var fields = FieldReader(content, of: Self.name), let keyID = fields.blob() else { return nil }
        self.init(keyID: keyID, fields.values())
    }

    var bytes: [UInt8] { SealedFields(of: Self.name, [.blob(keyID)] + fulfilment).bytes }
}

extension DatabaseKey {
    /// Returns the key of the tombstones, from which that of the database cannot be found.
    func tombstoneKey() throws(DatabaseError) -> DatabaseKey {
        guard let key = DatabaseKey(try tombstoneKeyBytes()) else {
            throw DatabaseError(.misuse, "a digest has 32 bytes")
        }
        return key
    }

    func tombstoneKeyBytes() throws(DatabaseError) -> [UInt8] {
        try digest(of: SealedFields(of: "key of tombstones", []))
    }

    /// Returns a digest that tells the key from others.
    func id() throws(DatabaseError) -> [UInt8] { try digest(of: SealedFields(of: "id of a key", [])) }

    func digest(ofTombstone purchase: [SQLiteValue]) throws(DatabaseError) -> [UInt8] {
        try digest(of: SealedFields(of: "tombstone", purchase))
    }
}

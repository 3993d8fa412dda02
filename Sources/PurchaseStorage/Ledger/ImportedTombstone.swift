package import PurchaseCore
internal import ReceiptVerification
import SQLite

/// A tombstone as an export has it.
package struct Tombstone: Sendable, Hashable {
    /// The 32 bytes of the key of the digest, which is good for nothing else.
    package let key: [UInt8]
    /// The digest of the purchase.
    package let digest: [UInt8]
    /// The last fulfilment; nil if only the record of the purchase is known.
    package let fulfilment: FulfilledAmount?

    /// Creates a tombstone; nil if the key or the digest does not have 32 bytes.
    package init?(key: [UInt8], digest: [UInt8], fulfilment: FulfilledAmount?) {
        guard DatabaseKey(key) != nil, SHA256Digest(bytes: digest) != nil else { return nil }
        self.key = key
        self.digest = digest
        self.fulfilment = fulfilment
    }
}

extension PurchaseDatabase {
    /// Imports the tombstone of another database.
    package nonisolated func importTombstone(_ tombstone: Tombstone) async throws(DatabaseError) -> ImportOutcome {
        try await write { (database) throws(DatabaseError) -> ImportOutcome in
            let known = try database.connection.first(
                "SELECT 1 FROM tombstones WHERE digest = ?", [.blob(tombstone.digest)]
            ) { (_) throws(DatabaseError) in true }
            if known != nil { return .known }
            guard let key = DatabaseKey(tombstone.key) else { throw DatabaseError(.misuse, "a key has 32 bytes") }
            try database.storeTombstoneKey(key, tombstone.key)
            let columns = tombstone.fulfilment.map(DatabaseSession.columns) ?? []
            try database.insertTombstone(tombstone.digest, TombstoneContent(keyID: try key.id(), columns))
            return .imported
        }
    }
}

extension DatabaseSession {
    /// The largest number of databases whose tombstones are imported.
    private static let tombstoneKeyLimit = 1_000

    fileprivate func storeTombstoneKey(_ other: DatabaseKey, _ bytes: [UInt8]) throws(DatabaseError) {
        let id = try other.id()
        guard try id != key.tombstoneKey().id() else { return }
        let known = try Self.tombstoneKeys.rows("", in: connection, key) { report(Self.tombstoneKeys.name, $0) }
        if known.contains([.blob(id)]) { return }
        guard known.count < Self.tombstoneKeyLimit else {
            throw DatabaseError(
                .constraint, "tombstones of \(Self.tombstoneKeyLimit) databases were imported, the most possible")
        }
        // A row of this key that was changed is in the way.
        try connection.execute("DELETE FROM tombstone_keys WHERE id = ?", [.blob(id)])
        try insert([.blob(id)], content: bytes, into: Self.tombstoneKeys)
    }
}

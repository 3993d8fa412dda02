import PurchaseCore
import SQLite

/// The encryption of a row of the table `signed_texts`, which is bound to the digest of its text.
enum SignedTextRow {
    private static let table = "signed_texts"
    private static let contentName = "signed text"
    /// The number of rows that decide whether a file has a key.
    private static let sampleCount = 100

    /// Encrypts the parts of a signed text.
    static func seal(_ parts: [String], _ digest: [UInt8], _ key: DatabaseKey) throws(DatabaseError) -> [UInt8] {
        try key.seal(SealedFields(of: contentName, parts.map(SQLiteValue.text)).bytes, place(of: digest))
    }

    /// Decrypts the parts of a signed text; nil if the row was changed.
    static func open(_ sealed: [UInt8], _ digest: [UInt8], _ key: DatabaseKey) throws(DatabaseError) -> [String]? {
        try key.open(sealed, place(of: digest))?.readFields(of: contentName) { fields in
            var fields = fields
            var parts: [String] = []
            while !fields.isEmpty {
                if let part = fields.text() { parts.append(part) }
            }
            return parts
        }
    }

    /// Returns whether one of the first signed texts can be read with a key, even if the file is damaged further on.
    static func isReadable(_ key: DatabaseKey, in connection: SQLiteConnection) throws(DatabaseError) -> Bool {
        var isReadable = false
        do throws(DatabaseError) {
            try connection.forEach("SELECT digest, sealed FROM \(table) LIMIT \(sampleCount)") {
                (row) throws(DatabaseError) in
                if try open(try row.blob(1), try row.blob(0), key) != nil { isReadable = true }
            }
        } catch {
            guard error.isOfDamage else { throw error }
        }
        return isReadable
    }

    private static func place(of digest: [UInt8]) -> SealedFields { SealedFields(of: table, [.blob(digest)]) }
}

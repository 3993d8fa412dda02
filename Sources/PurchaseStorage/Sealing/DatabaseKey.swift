import PurchaseCore
import ReceiptTypes
internal import ReceiptVerification
import SQLite

/// The AES-256 key of one database: it encrypts signed payloads and authenticates rows.
struct DatabaseKey: Sendable {
    private let bytes: [UInt8]

    /// Creates a key from 32 bytes; nil for another number of bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Seal.keyCount else { return nil }
        self.bytes = bytes
    }

    /// Returns the bytes of a random key.
    static func random() throws(DatabaseError) -> [UInt8] {
        do throws(CryptoFault) {
            return try OpenSSL.randomBytes(Seal.keyCount)
        } catch {
            throw DatabaseError(error)
        }
    }

    /// Returns the HMAC-SHA256 of fields (RFC 2104), from which they cannot be found without the key.
    func digest(of fields: SealedFields) throws(DatabaseError) -> [UInt8] { try code(of: fields).bytes }

    private func code(of fields: SealedFields) throws(DatabaseError) -> SHA256Digest {
        do throws(CryptoFault) {
            return try HMACKey(bytes).code(of: fields.bytes)
        } catch {
            throw DatabaseError(error)
        }
    }

    /// Returns the first half of the digest of fields in hexadecimal, as an id that outlives a recovery.
    func reference(of fields: SealedFields) throws(DatabaseError) -> String {
        try digest(of: fields).prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Returns the digest that stands for a user in the file; nil stands for no account.
    func digest(ofUser user: UUIDText?) throws(DatabaseError) -> [UInt8] {
        try digest(of: SealedFields(of: "user", [SQLiteValue(user?.rawValue)]))
    }

    /// Returns the hexadecimal digest that stands for the key of a purchase in the file.
    func digest(ofPurchase key: SQLiteValue) throws(DatabaseError) -> SQLiteValue {
        .text(try code(of: SealedFields(of: "purchase", [key])).description)
    }

    /// Encrypts bytes under a new random nonce, and authenticates them and the fields.
    ///
    /// - Returns: The nonce, the ciphertext and the tag.
    func seal(_ plaintext: [UInt8], _ fields: SealedFields) throws(DatabaseError) -> [UInt8] {
        do throws(CryptoFault) {
            let nonce = try OpenSSL.randomBytes(Seal.nonceCount)
            return nonce + (try Seal.seal(plaintext, associated: fields.bytes, key: bytes, nonce: nonce))
        } catch {
            throw DatabaseError(error)
        }
    }

    /// Decrypts what ``seal(_:_:)`` returned; nil if the bytes or the fields are not the same.
    func open(_ sealed: [UInt8], _ fields: SealedFields) throws(DatabaseError) -> [UInt8]? {
        var opener = try opener()
        // Safe: the bytes of an array of UInt8 are initialised and have no padding.
        guard try unsafe opener.open(sealed.span.bytes, fields) else { return nil }
        return unsafe opener.plaintext.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// Returns what decrypts any number of values.
    func opener() throws(DatabaseError) -> SealOpener { try SealOpener(bytes) }
}

extension DatabaseError {
    /// Creates an error from a failure of the cryptographic library.
    init(_ fault: CryptoFault) {
        self.init(fault.code == .outOfMemory ? .outOfMemory : .misuse, fault.message, underlying: fault)
    }
}

import PurchaseCore
internal import ReceiptVerification

/// Decrypts any number of values that ``DatabaseKey/seal(_:_:)`` returned.
///
/// It expands the key once, which takes longer than to decrypt a row.
struct SealOpener: ~Copyable {
    private var unsealer: Unsealer

    init(_ key: [UInt8]) throws(DatabaseError) {
        do throws(CryptoFault) {
            unsealer = try Unsealer(key: key)
        } catch {
            throw DatabaseError(error)
        }
    }

    /// What the last call of ``open(_:_:)`` decrypted; empty if it returned false.
    var plaintext: RawSpan {
        @_lifetime(borrow self)
        get { unsealer.plaintext }
    }

    /// Decrypts a value; false if its bytes or the fields are not the same.
    mutating func open(_ sealed: RawSpan, _ fields: borrowing SealedFields) throws(DatabaseError) -> Bool {
        guard sealed.byteCount >= Seal.nonceCount else { return false }
        do throws(CryptoFault) {
            // Safe: the bytes of an array of UInt8 are initialised and have no padding.
            return try unsafe unsealer.open(
                sealed.extracting(droppingFirst: Seal.nonceCount), associated: fields.bytes.span.bytes,
                nonce: sealed.extracting(first: Seal.nonceCount))
        } catch {
            throw DatabaseError(error)
        }
    }
}

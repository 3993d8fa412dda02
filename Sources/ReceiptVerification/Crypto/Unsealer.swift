internal import CReceiptCrypto

/// Opens any number of sealed values with one key, without an allocation for each.
@safe
package struct Unsealer: ~Copyable {
    private let raw: OpaquePointer
    private var opened = ReusableBytes()

    /// Throws if `key` has the wrong size.
    package init(key: [UInt8]) throws(CryptoFault) {
        guard key.count == Seal.keyCount else { throw .libraryFailure }
        var pointer: OpaquePointer?
        // Safe: an array passed to a C function lends a pointer to its elements, whose count is checked above.
        try unsafe rc_unsealer_new(key, &pointer).orThrow()
        guard let pointer = unsafe pointer else { throw .libraryFailure }
        unsafe raw = pointer
    }

    deinit { unsafe rc_unsealer_free(raw) }

    /// The bytes that the last call of ``open(_:associated:nonce:)`` decrypted; empty if it returned false.
    package var plaintext: RawSpan {
        @_lifetime(borrow self)
        get { opened.bytes }
    }

    /// Verifies and decrypts bytes; false if the tag does not match key, nonce, associated bytes and ciphertext.
    ///
    /// Throws if `nonce` has the wrong size.
    package mutating func open(
        _ sealed: RawSpan, associated: RawSpan, nonce: RawSpan
    ) throws(CryptoFault) -> Bool {
        guard nonce.byteCount == Seal.nonceCount else { throw .libraryFailure }
        var status = rc_status.RC_NO
        let raw = unsafe raw
        _ = unsafe sealed.withPointer { (sealed, sealedCount) in
            let count = sealedCount - Seal.tagCount
            return unsafe associated.withPointer { (associated, associatedCount) in
                unsafe nonce.withPointer { (nonce, _) in
                    unsafe opened.replace(capacity: max(count, 0)) { plaintext in
                        guard count >= 0 else { return nil }
                        // Safe: each pointer comes with its count; the count of the nonce is checked above, and the
                        // buffer has room for everything but the tag.
                        status = unsafe rc_unsealer_open(
                            raw, nonce, associated, associatedCount, sealed, sealedCount, plaintext)
                        return status == .RC_OK ? count : nil
                    }
                }
            }
        }
        if status == .RC_NO { return false }
        try status.orThrow()
        return true
    }
}

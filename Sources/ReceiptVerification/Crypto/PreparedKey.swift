internal import CReceiptCrypto

/// A P-256 key with a table of its own, which makes verifying a third of the work; some 40 ms to make, 150 kB to hold.
@safe
final class PreparedKey: Sendable {
    // Safe to share: nothing changes the table once it is made, and OpenSSL only reads it while it multiplies.
    private nonisolated(unsafe) let raw: OpaquePointer
    /// The place among the bounded number of tables, given back when the table goes.
    private let place: PreparedKeyBudget.Place

    /// Computes the table; nil where this build has none, or the key is not of P-256.
    init?(_ key: PublicKey, in place: PreparedKeyBudget.Place) throws(CryptoFault) {
        var pointer: OpaquePointer?
        let status = unsafe key.withRaw { raw in unsafe rc_prepared_key_new(raw, &pointer) }
        if status == .RC_UNSUPPORTED { return nil }
        try status.orThrow()
        guard let pointer = unsafe pointer else { throw .libraryFailure }
        unsafe raw = pointer
        self.place = place
    }

    deinit { unsafe rc_prepared_key_free(raw) }

    func withRaw<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(raw)
    }
}

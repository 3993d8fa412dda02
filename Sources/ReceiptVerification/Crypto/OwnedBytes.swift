internal import CReceiptCrypto

/// A buffer that the C module allocated.
///
/// Its bytes are wiped when it is freed.
@safe
struct OwnedBytes: ~Copyable {
    private let raw: OpaquePointer

    /// Calls a C function that returns a buffer; nil for .RC_NO, .RC_MALFORMED and .RC_UNSUPPORTED.
    init?(_ make: (inout OpaquePointer?) -> rc_status) throws(CryptoFault) {
        var pointer: OpaquePointer?
        let status = unsafe make(&pointer)
        if status == .RC_NO || status == .RC_MALFORMED || status == .RC_UNSUPPORTED { return nil }
        try status.orThrow()
        guard let pointer = unsafe pointer else { throw .libraryFailure }
        unsafe raw = pointer
    }

    deinit { unsafe rc_bytes_free(raw) }

    var array: [UInt8] {
        unsafe [UInt8](UnsafeBufferPointer(start: rc_bytes_data(raw), count: rc_bytes_count(raw)))
    }

    var text: String {
        unsafe String(
            decoding: UnsafeBufferPointer(start: rc_bytes_data(raw), count: rc_bytes_count(raw)),
            as: UTF8.self
        )
    }
}

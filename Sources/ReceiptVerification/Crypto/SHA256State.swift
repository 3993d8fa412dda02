internal import CReceiptCrypto

/// The running state of a SHA-256 computation.
@safe
struct SHA256State: ~Copyable {
    private let raw: OpaquePointer

    init() throws(CryptoFault) {
        var pointer: OpaquePointer?
        try unsafe rc_sha256_new(&pointer).orThrow()
        guard let pointer = unsafe pointer else { throw .libraryFailure }
        unsafe raw = pointer
    }

    deinit { unsafe rc_sha256_free(raw) }

    mutating func reset() throws(CryptoFault) {
        try unsafe rc_sha256_reset(raw).orThrow()
    }

    mutating func update(_ bytes: RawSpan) throws(CryptoFault) {
        let raw = unsafe raw
        try unsafe bytes.withPointer { (pointer, count) in unsafe rc_sha256_update(raw, pointer, count) }.orThrow()
    }

    /// Copies the state into another computation, which continues from here.
    func copy(into other: inout SHA256State) throws(CryptoFault) {
        try unsafe rc_sha256_copy(other.raw, raw).orThrow()
    }

    /// Returns the digest of all bytes so far.
    ///
    /// The state then needs `reset` or `copy(into:)` before its next use.
    mutating func finish() throws(CryptoFault) -> SHA256Digest {
        var digest = SHA256Digest()
        let raw = unsafe raw
        try unsafe digest.withMutableBytes { pointer in unsafe rc_sha256_finish(raw, pointer) }.orThrow()
        return digest
    }
}

extension SHA256Digest {
    /// Returns the digest of bytes.
    static func of(_ bytes: RawSpan) throws(CryptoFault) -> SHA256Digest {
        var state = try SHA256State()
        try state.update(bytes)
        return try state.finish()
    }

    /// Returns the digest of bytes.
    package static func of(bytes: [UInt8]) throws(CryptoFault) -> SHA256Digest {
        try bytes.withRawSpan { (span) throws(CryptoFault) in try of(span) }
    }
}

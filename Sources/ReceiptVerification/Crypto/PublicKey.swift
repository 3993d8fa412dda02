internal import CReceiptCrypto

/// A public key of any type that OpenSSL reads.
@safe
package final class PublicKey: Sendable {
    package enum Kind: Sendable {
        case p256
        case p384
        case p521
        case rsa
        case other
    }

    enum SignatureVerdict: Sendable {
        case valid
        case invalid
        /// The signature does not have 64 bytes, or r or s is outside [1, n-1].
        case malformed
    }

    // Safe to share: every C function takes the key as const, and any number of threads may use an EVP_PKEY that does
    // not change; its reference count is atomic. The pointer is written once, before the object is shared.
    private nonisolated(unsafe) let raw: OpaquePointer

    /// Takes ownership of the key that `make` returns; nil for .RC_MALFORMED and .RC_UNSUPPORTED.
    init?(_ make: (inout OpaquePointer?) -> rc_status) throws(CryptoFault) {
        var pointer: OpaquePointer?
        let status = unsafe make(&pointer)
        if status == .RC_MALFORMED || status == .RC_UNSUPPORTED { return nil }
        try status.orThrow()
        guard let pointer = unsafe pointer else { throw .libraryFailure }
        unsafe raw = pointer
    }

    /// Reads a SubjectPublicKeyInfo in DER; nil if the bytes are not exactly one.
    convenience init?(subjectPublicKeyInfo der: RawSpan) throws(CryptoFault) {
        try unsafe self.init { out in
            unsafe der.withPointer { (pointer, count) in unsafe rc_public_key_from_spki(pointer, count, &out) }
        }
    }

    /// Reads an uncompressed P-256 point of 65 bytes; nil if it is not on the curve.
    convenience init?(p256Point point: RawSpan) throws(CryptoFault) {
        try unsafe self.init { out in
            unsafe point.withPointer { (pointer, count) in unsafe rc_public_key_from_p256_point(pointer, count, &out) }
        }
    }

    deinit { unsafe rc_public_key_free(raw) }

    package var kind: Kind { unsafe Kind(rc_public_key_type(raw)) }

    /// The size of the curve's field or of the RSA modulus in bits.
    var bits: Int { unsafe Int(rc_public_key_bits(raw)) }

    /// The public exponent of an RSA key, a big-endian number without leading zeros; nil for a key of another type.
    func rsaExponent() throws(CryptoFault) -> [UInt8]? {
        guard kind == .rsa else { return nil }
        return try unsafe OwnedBytes({ out in unsafe rc_public_key_rsa_exponent(raw, &out) })?.array
    }

    package func subjectPublicKeyInfo() throws(CryptoFault) -> [UInt8] {
        guard let bytes = try unsafe OwnedBytes({ out in unsafe rc_public_key_spki(raw, &out) }) else {
            throw .libraryFailure
        }
        return bytes.array
    }

    /// Returns the key as an uncompressed point; nil if it is not a P-256 key.
    func p256Point() -> [UInt8]? {
        var point = [UInt8](repeating: 0, count: Int(RC_P256_POINT_COUNT))
        let status = unsafe point.withUnsafeMutableBufferPointer { buffer -> rc_status in
            guard let base = buffer.baseAddress else { return .RC_FAULT }
            return unsafe rc_public_key_p256_point(raw, base)
        }
        return status == .RC_OK ? point : nil
    }

    /// Verifies an ES256 signature, r || s, over a SHA-256 digest.
    ///
    /// With a key of another type it is invalid.
    func verifyES256(_ signature: RawSpan, digest: SHA256Digest) throws(CryptoFault) -> SignatureVerdict {
        let status = unsafe digest.withBytes { digestPointer in
            unsafe signature.withPointer { (pointer, count) in
                unsafe rc_es256_verify(raw, digestPointer, pointer, count)
            }
        }
        return try SignatureVerdict(status)
    }

    /// Verifies an RSASSA-PKCS1-v1_5 signature over a message.
    ///
    /// With a key of another type it is invalid.
    func verifyRSA(_ signature: RawSpan, over message: RawSpan, hash: HashAlgorithm) throws(CryptoFault) -> Bool {
        let status = unsafe message.withPointer { (message, messageCount) in
            unsafe signature.withPointer { (pointer, count) in
                unsafe rc_rsa_pkcs1_verify(raw, hash.native, message, messageCount, pointer, count)
            }
        }
        switch status {
        case .RC_OK: return true
        case .RC_NO, .RC_UNSUPPORTED: return false
        default: throw CryptoFault(status)
        }
    }

    func withRaw<Result, Failure: Error>(_ body: (OpaquePointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try unsafe body(raw)
    }
}

extension PublicKey.SignatureVerdict {
    init(_ status: rc_status) throws(CryptoFault) {
        switch status {
        case .RC_OK: self = .valid
        // .RC_UNSUPPORTED: the key is not a P-256 key.
        case .RC_NO, .RC_UNSUPPORTED: self = .invalid
        case .RC_MALFORMED: self = .malformed
        default: throw CryptoFault(status)
        }
    }
}

extension PublicKey.Kind {
    init(_ type: rc_key_type) {
        switch type {
        case .RC_KEY_P256: self = .p256
        case .RC_KEY_P384: self = .p384
        case .RC_KEY_P521: self = .p521
        case .RC_KEY_RSA: self = .rsa
        default: self = .other
        }
    }
}

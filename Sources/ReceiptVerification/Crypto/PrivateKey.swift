internal import CReceiptCrypto

/// A private key, which OpenSSL wipes when it is freed.
@safe
package final class PrivateKey: Sendable {
    // Safe to share: every C function takes the key as const, and any number of threads may sign with one OpenSSL key.
    // The pointer is written once, before the object is shared.
    private nonisolated(unsafe) let raw: OpaquePointer

    private init(_ make: (inout OpaquePointer?) -> rc_status) throws(CryptoFault) {
        var pointer: OpaquePointer?
        try unsafe make(&pointer).orThrow()
        guard let pointer = unsafe pointer else { throw .libraryFailure }
        unsafe raw = pointer
    }

    /// Generates a key.
    package convenience init(generating algorithm: KeyAlgorithm) throws(CryptoFault) {
        let (type, bits) = algorithm.native
        try unsafe self.init { out in unsafe rc_private_key_generate(type, bits, &out) }
    }

    /// Reads an unencrypted PKCS#8 PrivateKeyInfo in DER.
    package convenience init(pkcs8 der: [UInt8]) throws(CryptoFault) {
        try unsafe self.init { out in
            der.withRawSpan { span in
                unsafe span.withPointer { (pointer, count) in unsafe rc_private_key_from_pkcs8(pointer, count, &out) }
            }
        }
    }

    /// The reason why a PEM text has no usable private key.
    package enum PEMProblem: Error {
        /// The key is encrypted.
        case encrypted
        /// There is no private key, or it cannot be decoded.
        case malformed
        /// The system failed.
        case fault(CryptoFault)
    }

    /// Reads the first private key in PEM: unencrypted PKCS#8, SEC1 or PKCS#1.
    package convenience init(pem text: [UInt8]) throws(PEMProblem) {
        var status = rc_status.RC_FAULT
        do throws(CryptoFault) {
            try unsafe self.init { out in
                status = text.withRawSpan { span in
                    unsafe span.withPointer { (pointer, count) in unsafe rc_private_key_from_pem(pointer, count, &out) }
                }
                return status
            }
        } catch {
            switch status {
            case .RC_UNSUPPORTED: throw .encrypted
            case .RC_MALFORMED: throw .malformed
            default: throw .fault(error)
            }
        }
    }

    deinit { unsafe rc_private_key_free(raw) }

    /// Returns the key as unencrypted PKCS#8 in DER.
    package func pkcs8() throws(CryptoFault) -> [UInt8] {
        guard let bytes = try unsafe OwnedBytes({ out in unsafe rc_private_key_pkcs8(raw, &out) }) else {
            throw .libraryFailure
        }
        return bytes.array
    }

    package func publicKey() throws(CryptoFault) -> PublicKey {
        guard let key = try unsafe PublicKey({ out in unsafe rc_private_key_public_key(raw, &out) }) else {
            throw .libraryFailure
        }
        return key
    }

    /// Signs a message with ES256 and returns r || s, 32 bytes each.
    ///
    /// Throws if the key is not a P-256 key.
    ///
    /// - Parameter isDeterministic: Whether a message always has the same signature (RFC 6979). For keys of tests only.
    package func signES256(_ message: [UInt8], isDeterministic: Bool = false) throws(CryptoFault) -> [UInt8] {
        let digest = try message.withRawSpan { (span) throws(CryptoFault) in try SHA256Digest.of(span) }
        var signature = [UInt8](repeating: 0, count: Int(RC_ES256_SIGNATURE_COUNT))
        let status = unsafe signature.withUnsafeMutableBufferPointer { buffer -> rc_status in
            guard let base = buffer.baseAddress else { return .RC_FAULT }
            return unsafe digest.withBytes { digest in
                isDeterministic
                    ? unsafe rc_es256_sign_deterministically(raw, digest, base)
                    : unsafe rc_es256_sign(raw, digest, base)
            }
        }
        try status.orThrow()
        return signature
    }

    /// Signs a message with RSASSA-PKCS1-v1_5.
    ///
    /// Throws if the key is not an RSA key.
    package func signRSA(_ message: [UInt8], hash: HashAlgorithm) throws(CryptoFault) -> [UInt8] {
        let bytes = try unsafe OwnedBytes { out in
            message.withRawSpan { span in
                unsafe span.withPointer { (pointer, count) in
                    unsafe rc_rsa_pkcs1_sign(raw, hash.native, pointer, count, &out)
                }
            }
        }
        guard let bytes else { throw .libraryFailure }
        return bytes.array
    }

    func withRaw<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(raw)
    }
}

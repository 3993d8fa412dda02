internal import CReceiptCrypto

/// A private key; wiped when it goes.
@safe
package final class PrivateKey: Sendable {
    // Safe to share: every function that takes the key takes it as const, and OpenSSL signs with one key from any number
    // of threads. Written once, before the object is shared.
    private nonisolated(unsafe) let raw: OpaquePointer

    private init(_ make: (inout OpaquePointer?) -> rc_status) throws(CryptoFault) {
        var pointer: OpaquePointer?
        try unsafe make(&pointer).orThrow()
        guard let pointer = unsafe pointer else { throw .libraryFailure }
        unsafe raw = pointer
    }

    /// Makes a key of one of the kinds that certificates have.
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

    deinit { unsafe rc_private_key_free(raw) }

    /// The key as unencrypted PKCS#8 in DER.
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

    /// An ES256 signature, r and s of 32 bytes each; a key of another kind is refused.
    package func signES256(_ message: [UInt8]) throws(CryptoFault) -> [UInt8] {
        let digest = try message.withRawSpan { (span) throws(CryptoFault) in try SHA256Digest.of(span) }
        var signature = [UInt8](repeating: 0, count: Int(RC_ES256_SIGNATURE_COUNT))
        let status = unsafe signature.withUnsafeMutableBufferPointer { buffer -> rc_status in
            guard let base = buffer.baseAddress else { return .RC_FAULT }
            return unsafe digest.withBytes { unsafe rc_es256_sign(raw, $0, base) }
        }
        try status.orThrow()
        return signature
    }

    /// An RSASSA-PKCS1-v1_5 signature; a key of another kind is refused.
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

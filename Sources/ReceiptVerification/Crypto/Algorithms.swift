internal import CReceiptCrypto

/// The algorithm of a key that can be generated.
package enum KeyAlgorithm: Sendable, Hashable {
    /// ECDSA on NIST P-256.
    case p256
    /// ECDSA on NIST P-384.
    case p384
    /// ECDSA on NIST P-521.
    case p521
    /// RSA with a modulus of the given number of bits.
    case rsa(bits: Int)

    var native: (type: rc_key_type, bits: Int32) {
        switch self {
        case .p256: (.RC_KEY_P256, 0)
        case .p384: (.RC_KEY_P384, 0)
        case .p521: (.RC_KEY_P521, 0)
        case .rsa(let bits): (.RC_KEY_RSA, Int32(clamping: bits))
        }
    }
}

/// The hash function of a signature.
package enum HashAlgorithm: Sendable, Hashable {
    case sha1
    case sha256
    case sha384
    case sha512

    /// Returns the digest of a message.
    package func digest(of message: [UInt8]) throws(CryptoFault) -> [UInt8] {
        let bytes = try unsafe OwnedBytes { out in
            message.withRawSpan { span in
                unsafe span.withPointer { (pointer, count) in unsafe rc_digest(native, pointer, count, &out) }
            }
        }
        guard let bytes else { throw .libraryFailure }
        return bytes.array
    }

    var native: rc_hash {
        switch self {
        case .sha1: .RC_HASH_SHA1
        case .sha256: .RC_HASH_SHA256
        case .sha384: .RC_HASH_SHA384
        case .sha512: .RC_HASH_SHA512
        }
    }
}

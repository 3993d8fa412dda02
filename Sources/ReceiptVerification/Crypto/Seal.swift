internal import CReceiptCrypto

/// Authenticated encryption with AES-256-GCM, for files at rest.
package enum Seal {
    package static let keyCount = Int(RC_SEAL_KEY_COUNT)
    package static let nonceCount = Int(RC_SEAL_NONCE_COUNT)
    package static let tagCount = Int(RC_SEAL_TAG_COUNT)

    /// Encrypts and authenticates bytes; the tag follows the ciphertext.
    ///
    /// Throws if `key` or `nonce` has the wrong size.
    package static func seal(
        _ plaintext: [UInt8],
        associated: [UInt8],
        key: [UInt8],
        nonce: [UInt8]
    ) throws(CryptoFault) -> [UInt8] {
        guard key.count == keyCount, nonce.count == nonceCount else { throw .libraryFailure }
        var sealed = [UInt8](repeating: 0, count: plaintext.count + tagCount)
        // Safe: an array passed to a C function lends a pointer to its elements, and its count comes with it; the
        // counts of key and nonce are checked above, and `sealed` has room for the plaintext and the tag.
        try unsafe rc_seal(key, nonce, associated, associated.count, plaintext, plaintext.count, &sealed).orThrow()
        return sealed
    }

    /// Verifies and decrypts bytes; nil if the tag does not match key, nonce, associated bytes and ciphertext.
    ///
    /// Throws if `key` or `nonce` has the wrong size.
    package static func open(
        _ sealed: [UInt8],
        associated: [UInt8],
        key: [UInt8],
        nonce: [UInt8]
    ) throws(CryptoFault) -> [UInt8]? {
        var unsealer = try Unsealer(key: key)
        let isSealed = try sealed.withRawSpan { (sealed) throws(CryptoFault) in
            try associated.withRawSpan { (associated) throws(CryptoFault) in
                try nonce.withRawSpan { (nonce) throws(CryptoFault) in
                    try unsealer.open(sealed, associated: associated, nonce: nonce)
                }
            }
        }
        return isSealed ? unsealer.plaintext.array : nil
    }
}

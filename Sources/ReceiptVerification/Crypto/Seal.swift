internal import CReceiptCrypto

/// Authenticated encryption with AES-256-GCM, for files at rest.
enum Seal {
    static let keyCount = Int(RC_SEAL_KEY_COUNT)
    static let nonceCount = Int(RC_SEAL_NONCE_COUNT)
    static let tagCount = Int(RC_SEAL_TAG_COUNT)

    /// Encrypts and authenticates bytes; the tag follows the ciphertext.
    ///
    /// Throws if `key` or `nonce` has the wrong size.
    static func seal(
        _ plaintext: [UInt8],
        associated: [UInt8],
        key: [UInt8],
        nonce: [UInt8]
    ) throws(CryptoFault) -> [UInt8] {
        guard key.count == keyCount, nonce.count == nonceCount else { throw .refused }
        var sealed = [UInt8](repeating: 0, count: plaintext.count + tagCount)
        let status = unsafe run(plaintext, associated, key, nonce, into: &sealed) {
            key, nonce, aad, aadCount, bytes, count, out in
            unsafe rc_seal(key, nonce, aad, aadCount, bytes, count, out)
        }
        try status.orThrow()
        return sealed
    }

    /// Verifies and decrypts bytes; nil if the tag does not match key, nonce, associated bytes and ciphertext.
    static func open(
        _ sealed: [UInt8],
        associated: [UInt8],
        key: [UInt8],
        nonce: [UInt8]
    ) throws(CryptoFault) -> [UInt8]? {
        guard key.count == keyCount, nonce.count == nonceCount else { throw .refused }
        guard sealed.count >= tagCount else { return nil }
        var plaintext = [UInt8](repeating: 0, count: sealed.count - tagCount)
        let status = unsafe run(sealed, associated, key, nonce, into: &plaintext) {
            key, nonce, aad, aadCount, bytes, count, out in
            unsafe rc_unseal(key, nonce, aad, aadCount, bytes, count, out)
        }
        if status == .RC_NO { return nil }
        try status.orThrow()
        return plaintext
    }

    private typealias Operation = (
        _ key: UnsafePointer<UInt8>, _ nonce: UnsafePointer<UInt8>, _ associated: UnsafePointer<UInt8>, Int,
        _ bytes: UnsafePointer<UInt8>, Int, _ out: UnsafeMutablePointer<UInt8>
    ) -> rc_status

    private static func run(
        _ bytes: [UInt8],
        _ associated: [UInt8],
        _ key: [UInt8],
        _ nonce: [UInt8],
        into out: inout [UInt8],
        _ operation: Operation
    ) -> rc_status {
        unsafe out.withUnsafeMutableBufferPointer { outBuffer in
            var nothing: UInt8 = 0
            return unsafe withUnsafeMutablePointer(to: &nothing) { nowhere in
                let target = unsafe outBuffer.baseAddress ?? nowhere
                return key.withRawSpan { key in
                    unsafe key.withPointer { (key, _) in
                        nonce.withRawSpan { nonce in
                            unsafe nonce.withPointer { (nonce, _) in
                                associated.withRawSpan { associated in
                                    unsafe associated.withPointer { (associated, associatedCount) in
                                        bytes.withRawSpan { bytes in
                                            unsafe bytes.withPointer { (bytes, count) in
                                                unsafe operation(
                                                    key, nonce, associated, associatedCount, bytes, count, target
                                                )
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

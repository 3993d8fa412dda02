internal import CReceiptCrypto

/// The calls of OpenSSL that belong to no handle.
package enum OpenSSL {
    /// Returns bytes from OpenSSL's cryptographic random number generator.
    package static func randomBytes(_ count: Int) throws(CryptoFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = unsafe bytes.withUnsafeMutableBufferPointer { buffer -> rc_status in
            guard let base = buffer.baseAddress else { return .RC_OK }
            return unsafe rc_random(base, buffer.count)
        }
        try status.orThrow()
        return bytes
    }

    /// Frees what OpenSSL keeps for the calling thread, which must not use it again.
    static func endThread() { rc_thread_end() }
}

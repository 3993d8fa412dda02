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

    /// Returns an ES256 signature of 64 bytes, r and s, as ECDSA-Sig-Value in DER (RFC 3279 2.2.3).
    package static func der(ofES256 signature: [UInt8]) throws(CryptoFault) -> [UInt8]? {
        try unsafe OwnedBytes { out in
            unsafe signature.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress, buffer.count == Int(RC_ES256_SIGNATURE_COUNT) else {
                    return .RC_FAULT
                }
                return unsafe rc_es256_signature_der(base, &out)
            }
        }?.array
    }

    /// Lets a tool exit while its threads use OpenSSL; called before all other functions.
    package static func beginTool() { rc_process_begin() }

    /// Frees what OpenSSL keeps for the calling thread, which must not use it again.
    static func endThread() { rc_thread_end() }

    /// Runs `body`, which can wait for files or locks, on a thread of its own, and returns its result.
    ///
    /// If the system cannot create a thread, it runs on the caller's.
    package static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let isStarted = DetachedThread.start {
                continuation.resume(returning: body())
                endThread()
            }
            if !isStarted { continuation.resume(returning: body()) }
        }
    }
}

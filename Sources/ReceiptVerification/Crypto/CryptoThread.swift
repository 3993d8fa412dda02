internal import CReceiptCrypto

/// OpenSSL's state of each thread.
enum CryptoThread {
    /// Frees the state of the calling thread, which must not use OpenSSL afterwards.
    static func end() { rc_thread_end() }
}

internal import CReceiptCrypto

/// What the library below keeps for each thread that has called it.
enum CryptoThread {
    /// Frees it for the calling thread, which has nothing more to do with it.
    static func end() { rc_thread_end() }
}

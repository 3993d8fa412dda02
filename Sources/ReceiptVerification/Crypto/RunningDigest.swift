/// A SHA-256 digest of bytes that arrive in pieces, which can be read after each of them.
///
/// It is a class so that the copies of its owner share it.
package final class RunningDigest {
    private var state: SHA256State

    /// Creates the digest of no bytes.
    package init() throws(CryptoFault) {
        state = try SHA256State()
    }

    /// Appends bytes to those that are digested.
    package func update(_ bytes: [UInt8]) throws(CryptoFault) {
        try bytes.withRawSpan { (span) throws(CryptoFault) in try state.update(span) }
    }

    /// Returns the digest of all bytes so far.
    package func digest() throws(CryptoFault) -> SHA256Digest {
        var copy = try SHA256State()
        try state.copy(into: &copy)
        return try copy.finish()
    }
}

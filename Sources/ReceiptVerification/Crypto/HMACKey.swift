/// A key for HMAC-SHA256 (RFC 2104).
package struct HMACKey: Sendable {
    private static let blockCount = 64

    /// The key, combined with the two constants of the RFC.
    private let inner: [UInt8]
    private let outer: [UInt8]

    /// Creates a key from any number of bytes.
    package init(_ key: [UInt8]) throws(CryptoFault) {
        let key = key.count > Self.blockCount ? try SHA256Digest.of(bytes: key).bytes : key
        let block = key + [UInt8](repeating: 0, count: Self.blockCount - key.count)
        inner = block.map { $0 ^ 0x36 }
        outer = block.map { $0 ^ 0x5c }
    }

    /// Returns the code of a message, from which the message cannot be found without the key.
    package func code(of message: [UInt8]) throws(CryptoFault) -> SHA256Digest {
        try SHA256Digest.of(bytes: outer + SHA256Digest.of(bytes: inner + message).bytes)
    }
}

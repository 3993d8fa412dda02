/// The identity of a chain, computed from its certificates.
enum ChainFingerprint {
    /// Returns the SHA-256 over all certificates in order.
    ///
    /// The length of each precedes it in four bytes, so that different chains never have the same bytes.
    static func of(_ chain: [[UInt8]]) throws(CryptoFault) -> SHA256Digest {
        var state = try SHA256State()
        for der in chain {
            let count = UInt32(clamping: der.count)
            let length = [UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
            try length.withRawSpan { (span) throws(CryptoFault) in try state.update(span) }
            try der.withRawSpan { (span) throws(CryptoFault) in try state.update(span) }
        }
        return try state.finish()
    }
}

/// A hash over a sample of a header segment.
///
/// Headers of one signer are equal, and what the hash finds is compared in full, so hashing all five thousand bytes
/// would only cost time. The sample covers the beginning, which holds the serial number, and spreads over the rest.
enum HeaderHash {
    static func of(_ header: RawSpan) -> UInt64 {
        let count = header.byteCount
        var hash = UInt64(truncatingIfNeeded: count) &* multiplier
        var offset = 0
        let dense = min(count, 256)
        while offset + 8 <= dense {
            hash = mix(hash, word(of: header, at: offset))
            offset += 8
        }
        let stride = max((count - dense) / 32, 8)
        while offset + 8 <= count {
            hash = mix(hash, word(of: header, at: offset))
            offset += stride
        }
        return hash ^ hash >> 32
    }

    /// 2^64 divided by the golden ratio: odd, with bits in no pattern.
    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        ((hash ^ word) &* multiplier) &+ (hash >> 29)
    }

    private static func word(of header: RawSpan, at offset: Int) -> UInt64 {
        // Checked: the load traps out of bounds, and every bit pattern is a UInt64.
        unsafe header.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}

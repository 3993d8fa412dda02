/// A SHA-256 digest of 32 bytes.
public struct SHA256Digest: Sendable, Hashable, CustomStringConvertible {
    // Four words instead of an array: each receipt needs digests, and this form needs no allocation.
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// The number of bytes in a digest.
    public static let count = 32

    init() {
        words = (0, 0, 0, 0)
    }

    /// Creates a digest from 32 bytes; nil for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.init()
        unsafe withMutableBytes { target in
            for (offset, byte) in bytes.enumerated() { unsafe target[offset] = byte }
        }
    }

    /// Creates a digest from 64 hexadecimal digits; nil for any other text.
    public init?(hexadecimal text: String) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The 32 bytes of the digest.
    public var bytes: [UInt8] {
        unsafe withBytes { unsafe [UInt8](UnsafeRawBufferPointer(start: $0, count: Self.count)) }
    }

    /// The digest as 64 lower-case hexadecimal digits.
    public var description: String { Hexadecimal.encode(bytes) }

    func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafePointer(to: words) { pointer in
            // Safe: the bytes of four words may be read as UInt8.
            unsafe pointer.withMemoryRebound(to: UInt8.self, capacity: Self.count) { unsafe body($0) }
        }
    }

    mutating func withMutableBytes<Result>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafeMutablePointer(to: &words) { pointer in
            unsafe pointer.withMemoryRebound(to: UInt8.self, capacity: Self.count) { unsafe body($0) }
        }
    }

    /// Returns whether both digests are equal.
    public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// Feeds the digest into a hasher.
    public func hash(into hasher: inout Hasher) {
        // The bits of a digest are uniformly distributed, so one word is enough.
        hasher.combine(words.0)
    }
}

/// A SHA-256 digest, 32 bytes.
public struct SHA256Digest: Sendable, Hashable, CustomStringConvertible {
    // Four words instead of an array: digests are made for every receipt, and this form needs no allocation.
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// The number of bytes.
    public static let count = 32

    init() {
        words = (0, 0, 0, 0)
    }

    /// Takes 32 bytes; nil for another number.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.init()
        unsafe withMutableBytes { target in
            for (offset, byte) in bytes.enumerated() { unsafe target[offset] = byte }
        }
    }

    /// Takes 64 hexadecimal digits; nil for anything else.
    public init?(hexadecimal text: String) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The digest as bytes.
    public var bytes: [UInt8] {
        unsafe withBytes { unsafe [UInt8](UnsafeRawBufferPointer(start: $0, count: Self.count)) }
    }

    /// 64 lower-case hexadecimal digits.
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

    /// Whether both digests are equal.
    public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// Feeds the digest into a hasher.
    public func hash(into hasher: inout Hasher) {
        // One word of a digest is as good as all four.
        hasher.combine(words.0)
    }
}

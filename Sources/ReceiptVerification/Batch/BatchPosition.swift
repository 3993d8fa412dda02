/// A position in the sources of a batch, after which a later run can continue.
///
/// A position from ``BatchVerifier/Progress`` also knows the last bytes before it: a run that starts there ends with an
/// error if the source has other bytes by then.
public struct BatchPosition: Sendable, Hashable {
    /// The index of the source.
    public var source = 0
    /// The number of bytes of that source that have been verified.
    public var offset = 0
    /// The number of lines of that source that have been verified.
    public var lines = 0
    /// The last bytes before the offset; nil if they are not known.
    package var consumed: ConsumedBytes?

    /// Creates the position before the first source.
    public init() {}

    /// Creates a position that an earlier run has reached.
    public init(source: Int, offset: Int, lines: Int) {
        self.source = source
        self.offset = offset
        self.lines = lines
    }

    /// Whether the position is the beginning of its source.
    var isAtStart: Bool { offset == 0 && lines == 0 }

    /// Whether a run can have reached the position: no number is negative, and there is at most one line more than
    /// bytes.
    var isPossible: Bool { source >= 0 && offset >= 0 && lines >= 0 && lines - 1 <= offset }
}

/// The number and the digest of the last bytes before a position, by which a later run recognizes the source.
package struct ConsumedBytes: Sendable, Hashable {
    /// The most bytes that are hashed: a receipt's signature and payload, at a cost that is small for each block.
    package static let maximumCount = 4096

    package let count: Int
    package let digest: SHA256Digest

    /// Creates the record of a number of bytes with a digest; nil for a number that no position has.
    package init?(count: Int, digest: SHA256Digest) {
        guard (1...Self.maximumCount).contains(count) else { return nil }
        self.count = count
        self.digest = digest
    }

    /// Hashes the end of some bytes; nil if there are none.
    init?(endOf bytes: ArraySlice<UInt8>) {
        let tail = [UInt8](bytes.suffix(Self.maximumCount))
        guard !tail.isEmpty, let digest = try? SHA256Digest.of(bytes: tail) else { return nil }
        count = tail.count
        self.digest = digest
    }

    /// Returns whether the bytes end with the hashed ones.
    func isEnd(of bytes: [UInt8]) -> Bool {
        guard bytes.count >= count, let digest = try? SHA256Digest.of(bytes: [UInt8](bytes.suffix(count)))
        else { return false }
        return digest == self.digest
    }
}

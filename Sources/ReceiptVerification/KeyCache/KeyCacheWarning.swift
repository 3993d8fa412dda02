/// Why a key cache file was passed over; the cache goes on without it, and the verdicts stay right.
public struct KeyCacheWarning: Sendable, Hashable, CustomStringConvertible {
    /// What was wrong; new codes may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, such as `cache-damaged`.
        public let description: String

        /// The file ends too early.
        public static let truncated = Code(description: "cache-truncated")
        /// The file is no key cache.
        public static let foreign = Code(description: "cache-foreign")
        /// The file was written by another version.
        public static let version = Code(description: "cache-version")
        /// The file was sealed with another key.
        public static let key = Code(description: "cache-key")
        /// The file was changed after it was sealed.
        public static let damaged = Code(description: "cache-damaged")
        /// The file is authentic and holds something else than keys.
        public static let content = Code(description: "cache-content")
    }

    /// What was wrong.
    public let code: Code

    /// One sentence.
    public var description: String {
        switch code {
        case .truncated: "the key cache file ends too early"
        case .foreign: "the file is no key cache"
        case .version: "the key cache file was written by another version"
        case .key: "the key cache file was sealed with another key"
        case .damaged: "the key cache file was changed after it was sealed"
        default: "the key cache file holds something else than keys"
        }
    }
}

public import ReceiptTypes

/// The reason why a key cache file was not used; the cache works without it, and no verdict changes.
public struct KeyCacheWarning: Sendable, Hashable, CustomStringConvertible {
    /// The kind of warning; later versions can add codes.
    public struct Code: ErrorCode {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file ends too early.
        public static let truncated = Code(rawValue: "cache-truncated")
        /// The file is not a key cache.
        public static let foreign = Code(rawValue: "cache-foreign")
        /// The file was written by another version.
        public static let version = Code(rawValue: "cache-version")
        /// The file was sealed with another key.
        public static let key = Code(rawValue: "cache-key")
        /// The file was changed after it was sealed.
        public static let damaged = Code(rawValue: "cache-damaged")
        /// The file is authentic, but its content is not a list of keys.
        public static let content = Code(rawValue: "cache-content")
    }

    /// The kind of warning.
    public let code: Code

    /// The warning in one sentence.
    public var message: String {
        switch code {
        case .truncated: "the key cache file ends too early"
        case .foreign: "the file is not a key cache"
        case .version: "the key cache file was written by another version"
        case .key: "the key cache file was sealed with another key"
        case .damaged: "the key cache file was changed after it was sealed"
        default: "the key cache file contains something other than keys"
        }
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

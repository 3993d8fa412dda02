public import ReceiptTypes

/// The reason why the stored keys or the sealing key of a key cache were not used, or what was done about it.
///
/// The cache works without them, and no verdict changes.
public struct KeyCacheWarning: Error, Sendable, Hashable, CustomStringConvertible {
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
        /// Other users could have written the file, or can read it.
        public static let untrusted = Code(rawValue: "cache-untrusted")
        /// The stored keys cannot be read.
        public static let unreadable = Code(rawValue: "cache-unreadable")
        /// The keys cannot be stored.
        public static let unwritable = Code(rawValue: "cache-unwritable")
        /// The file of the sealing key could not be used, and a new key replaced it.
        public static let sealingKeyReplaced = Code(rawValue: "sealing-key-replaced")
    }

    /// The kind of warning.
    public let code: Code
    /// The file and what is wrong with it; nil if the code says everything.
    public let detail: String?

    /// Creates a warning, such as one of a storage.
    public init(code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// The warning in one sentence.
    public var message: String {
        detail.map { "\(summary): \($0)" } ?? summary
    }

    private var summary: String {
        switch code {
        case .truncated: "the key cache file ends too early"
        case .foreign: "the file is not a key cache"
        case .version: "the key cache file was written by another version"
        case .key: "the key cache file was sealed with another key"
        case .damaged: "the key cache file was changed after it was sealed"
        case .content: "the key cache file contains something other than keys"
        case .untrusted: "the key cache file cannot be trusted"
        case .unreadable: "the stored keys cannot be read"
        case .unwritable: "the keys cannot be stored"
        case .sealingKeyReplaced: "the sealing key was replaced with a new one"
        default: "the key cache cannot be used"
        }
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

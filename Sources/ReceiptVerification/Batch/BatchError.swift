public import ReceiptTypes

/// An error that prevents a batch from running.
public struct BatchError: CodedError {
    /// The kind of error; later versions can add codes.
    public struct Code: ErrorCode {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The CSV header has no column with the requested name.
        public static let noSuchColumn = Code(rawValue: "no-such-column")
        /// The position to start at is negative, or past the end of the sources.
        public static let invalidPosition = Code(rawValue: "invalid-position")
        /// The bytes before the position to start at are not those that an earlier run has read.
        public static let sourceChanged = Code(rawValue: "source-changed")
        /// The system cannot create a thread.
        public static let noThread = Code(rawValue: "no-thread")
    }

    /// The kind of error.
    public let code: Code
    /// The name of the source; empty if the error concerns no single source.
    public let source: String
    /// The column name that was not found; empty for other codes.
    public let detail: String

    /// The error in one sentence.
    public var message: String {
        switch code {
        case .noSuchColumn: "\(source) has no column named \(detail) in its header line"
        case .invalidPosition: "the position to start at is not in the sources\(source.isEmpty ? "" : ": \(source)")"
        case .sourceChanged: "\(source) has other contents before the position to start at"
        default: "the system could not create a thread"
        }
    }
}

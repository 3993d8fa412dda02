public import ReceiptTypes

/// An error in a JSON document of the app's server, or of its source: the place, what was expected there and what was
/// found.
public struct DocumentError: CodedError {
    /// The stable reason of the error.
    public struct Code: ErrorCode {
        /// The stable name in kebab case, such as `wrong-type`.
        public let rawValue: String

        /// Creates a code of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The source or the file has failed, or has not answered within the deadline.
        public static let unavailable = Self(rawValue: "unavailable")
        /// The document, a list or a string is larger than this package reads.
        public static let tooLarge = Self(rawValue: "too-large")
        /// The document is not JSON.
        public static let malformed = Self(rawValue: "malformed")
        /// A required field is absent.
        public static let missingField = Self(rawValue: "missing-field")
        /// A field has another JSON type.
        public static let wrongType = Self(rawValue: "wrong-type")
        /// A field has the right type and a value that is not allowed.
        public static let wrongValue = Self(rawValue: "wrong-value")
    }

    /// The stable reason.
    public let code: Code
    /// The place in the document, such as `packages[0].product.price`; empty for the document as one.
    public let path: String
    /// What was expected, in words.
    public let expected: String
    /// What was found, in words.
    public let found: String
    /// The error that caused this one.
    public let underlying: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, at path: String = "", expected: String, found: String, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.path = path
        self.expected = expected
        self.found = found
        self.underlying = underlying
    }

    /// The place, the expected and the found values, in one sentence without a final full stop.
    public var message: String {
        HiddenCharacters.escaped("\(path.isEmpty ? "the document" : path): expected \(expected); found \(found)")
    }
}

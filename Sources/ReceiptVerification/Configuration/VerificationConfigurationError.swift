public import ReceiptTypes

/// An error in a policy file: the place, what was expected there and what was found.
public struct VerificationConfigurationError: CodedError {
    /// The kind of error; later versions can add codes.
    public struct Code: ErrorCode {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file is not JSON in UTF-8.
        public static let malformed = Code(rawValue: "malformed")
        /// An object has a member twice.
        public static let duplicateMember = Code(rawValue: "duplicate-member")
        /// An object has a member that this version does not know.
        public static let unknownMember = Code(rawValue: "unknown-member")
        /// An object does not have a member that it needs.
        public static let missingMember = Code(rawValue: "missing-member")
        /// A value has another JSON type.
        public static let wrongType = Code(rawValue: "wrong-type")
        /// A value has the right type and is not allowed.
        public static let wrongValue = Code(rawValue: "wrong-value")
        /// The file, or a list in it, is larger than this version reads.
        public static let tooLarge = Code(rawValue: "too-large")
        /// A file that the policy file names cannot be read.
        public static let unreadableFile = Code(rawValue: "unreadable-file")
        /// A root cannot be used.
        public static let invalidRoot = Code(rawValue: "invalid-root")
        /// A certificate that is to be distrusted cannot be read.
        public static let invalidCertificate = Code(rawValue: "invalid-certificate")
        /// A public key of Google Play cannot be used.
        public static let invalidKey = Code(rawValue: "invalid-key")
    }

    /// The kind of error.
    public let code: Code
    /// The place, such as `apps[1].bundleId`; empty for the file as a whole.
    public let path: String
    /// The line, from 1; nil if only the path is known.
    public let line: Int?
    /// What was expected, in words.
    public let expected: String
    /// What was found, in words.
    public let found: String
    /// What to do, in words.
    public let hint: String?
    /// The error that caused this one.
    public let underlying: (any Error)?

    init(
        _ code: Code,
        at path: String = "",
        line: Int? = nil,
        expected: String,
        found: String,
        hint: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.path = path
        self.line = line
        self.expected = expected
        self.found = found
        self.hint = hint
        self.underlying = underlying
    }

    /// The place, the expected and the found value, in one sentence without a final full stop.
    public var message: String {
        let place = path.isEmpty ? line.map { "line \($0)" } ?? "the file" : path
        return HiddenCharacters.escaped("\(place): expected \(expected); found \(found)")
    }
}

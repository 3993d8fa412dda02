public import ReceiptTypes

/// An error in reading a P-256 public key.
public struct ES256KeyError: CodedError {
    /// The kind of error; later versions can add codes.
    public struct Code: ErrorCode {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are not a key in the requested form, or its point is not on the curve.
        public static let malformed = Code(rawValue: "malformed")
        /// The key has another algorithm or curve.
        public static let notP256 = Code(rawValue: "not-p256")
        /// An allocation failed.
        public static let outOfResources = Code(rawValue: "out-of-resources")
    }

    /// The kind of error.
    public let code: Code

    /// The error in one sentence.
    public var message: String {
        switch code {
        case .malformed: "the bytes are not a public key"
        case .notP256: "the key is not a P-256 key"
        default: "out of memory while reading a key"
        }
    }

    static func mapping<Result>(_ body: () throws(CryptoFault) -> Result) throws(ES256KeyError) -> Result {
        do { return try body() } catch { throw ES256KeyError(code: .outOfResources) }
    }
}

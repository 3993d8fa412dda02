public import ReceiptTypes

/// An error in reading certificates, of roots or of what is distrusted.
public struct TrustAnchorError: CodedError {
    /// The kind of error; later versions can add codes.
    public struct Code: ErrorCode {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are neither a certificate in DER nor PEM with certificates in DER.
        public static let notACertificate = Code(rawValue: "not-a-certificate")
        /// A file that names what is distrusted has something else besides certificates, such as a key or a damaged
        /// block.
        public static let notOnlyCertificates = Code(rawValue: "not-only-certificates")
        /// There are more than 1,048,576 bytes.
        public static let tooLarge = Code(rawValue: "too-large")
        /// An allocation failed.
        public static let outOfResources = Code(rawValue: "out-of-resources")
    }

    /// The kind of error.
    public let code: Code

    /// The error in one sentence.
    public var message: String {
        switch code {
        case .notACertificate: "it contains no certificate in DER or PEM, or one that is not in DER in every field"
        case .notOnlyCertificates:
            "it has something besides certificates in PEM, such as a key or a damaged block, which would stay trusted"
        case .tooLarge: "it is larger than \(Budget.trustFileSize) bytes"
        default: "out of memory while reading certificates"
        }
    }
}

/// An error in reading root certificates.
public struct TrustAnchorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error; later versions can add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, such as "not-a-certificate".
        public let description: String

        /// The bytes are neither a certificate in DER nor PEM with certificates.
        public static let notACertificate = Code(description: "not-a-certificate")
        /// There are more than 1,048,576 bytes.
        public static let tooLarge = Code(description: "too-large")
        /// An allocation failed.
        public static let outOfResources = Code(description: "out-of-resources")
    }

    /// The kind of error.
    public let code: Code

    /// The error as one sentence.
    public var description: String {
        switch code {
        case .notACertificate: "the file contains no certificate in DER or PEM"
        case .tooLarge: "the file is larger than \(Budget.trustFileSize) bytes"
        default: "out of memory while reading certificates"
        }
    }
}

/// A file of roots could not be used.
public struct TrustAnchorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong; new codes may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, such as "not-a-certificate".
        public let description: String

        /// The bytes are neither a certificate in DER nor PEM with certificates.
        public static let notACertificate = Code(description: "not-a-certificate")
        /// There are more bytes than any file of roots has.
        public static let tooLarge = Code(description: "too-large")
        /// There was no memory.
        public static let outOfResources = Code(description: "out-of-resources")
    }

    /// What is wrong.
    public let code: Code

    /// One sentence.
    public var description: String {
        switch code {
        case .notACertificate: "the file holds no certificate in DER or PEM"
        case .tooLarge: "the file is larger than \(Budget.trustFileSize) bytes"
        default: "the certificates could not be read for lack of memory"
        }
    }
}

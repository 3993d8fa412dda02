/// An error in reading a P-256 public key.
public struct ES256KeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error; later versions can add codes.
    public struct Code: Sendable, Hashable {
        private let name: String

        /// The bytes are not a key in the requested form, or its point is not on the curve.
        public static let malformed = Code(name: "malformed")
        /// The key has another algorithm or curve.
        public static let notP256 = Code(name: "not-p256")
        /// An allocation failed.
        public static let outOfResources = Code(name: "out-of-resources")
    }

    /// The kind of error.
    public let code: Code

    /// The error as one sentence.
    public var description: String {
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

/// Bytes could not be used as a P-256 public key.
public struct ES256KeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong; new codes may come.
    public struct Code: Sendable, Hashable {
        private let name: String

        /// The bytes are no key in the form that was asked for, or its point is not on the curve.
        public static let malformed = Code(name: "malformed")
        /// The key is of another algorithm or curve.
        public static let notP256 = Code(name: "not-p256")
        /// There was no memory.
        public static let outOfResources = Code(name: "out-of-resources")
    }

    /// What is wrong.
    public let code: Code

    /// One sentence.
    public var description: String {
        switch code {
        case .malformed: "the bytes are no public key"
        case .notP256: "the key is not of P-256"
        default: "the key could not be read for lack of memory"
        }
    }

    static func mapping<Result>(_ body: () throws(CryptoFault) -> Result) throws(ES256KeyError) -> Result {
        do { return try body() } catch { throw ES256KeyError(code: .outOfResources) }
    }
}

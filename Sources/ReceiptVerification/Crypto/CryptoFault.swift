internal import CReceiptCrypto
public import ReceiptTypes

/// A failure of the system: an allocation failed, or OpenSSL failed.
///
/// Verifying invalid input never causes a fault: it has a result.
public struct CryptoFault: CodedError {
    /// The kind of failure; later versions can add codes.
    public struct Code: ErrorCode {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An allocation failed.
        public static let outOfMemory = Code(rawValue: "out-of-memory")
        /// OpenSSL failed for a reason that the input does not explain.
        public static let libraryFailure = Code(rawValue: "library-failure")
    }

    // One bit instead of the code, because nearly every function of the verifier can throw a fault.
    private let isOutOfMemory: Bool

    /// An allocation failed.
    public static let outOfMemory = CryptoFault(isOutOfMemory: true)
    /// OpenSSL failed for a reason that the input does not explain.
    public static let libraryFailure = CryptoFault(isOutOfMemory: false)

    private init(isOutOfMemory: Bool) {
        self.isOutOfMemory = isOutOfMemory
    }

    init(_ status: rc_status) {
        self.init(isOutOfMemory: status == .RC_NO_MEMORY)
    }

    /// The kind of failure.
    public var code: Code { isOutOfMemory ? .outOfMemory : .libraryFailure }

    /// The failure in one sentence.
    public var message: String { isOutOfMemory ? "out of memory" : "the cryptographic library failed" }
}

extension rc_status {
    /// Throws a fault unless the status is .RC_OK.
    func orThrow() throws(CryptoFault) {
        guard self == .RC_OK else { throw CryptoFault(self) }
    }
}

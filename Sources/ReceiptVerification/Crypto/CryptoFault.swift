internal import CReceiptCrypto
public import ReceiptTypes

/// A failure of the system: an allocation failed, OpenSSL failed, or its policy forbids an algorithm.
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
        /// The cryptographic policy of the system does not allow signatures with SHA-1.
        public static let hashForbidden = Code(rawValue: "hash-forbidden")
    }

    // One byte instead of the code, because nearly every function of the verifier can throw a fault.
    private enum Cause: UInt8 {
        case memory, library, policy
    }

    private let cause: Cause

    /// An allocation failed.
    public static let outOfMemory = CryptoFault(cause: .memory)
    /// OpenSSL failed for a reason that the input does not explain.
    public static let libraryFailure = CryptoFault(cause: .library)
    /// The cryptographic policy of the system does not allow signatures with SHA-1.
    public static let hashForbidden = CryptoFault(cause: .policy)

    private init(cause: Cause) {
        self.cause = cause
    }

    init(_ status: rc_status) {
        switch status {
        case .RC_NO_MEMORY: self.init(cause: .memory)
        case .RC_HASH_FORBIDDEN: self.init(cause: .policy)
        default: self.init(cause: .library)
        }
    }

    /// The kind of failure.
    public var code: Code {
        switch cause {
        case .memory: .outOfMemory
        case .library: .libraryFailure
        case .policy: .hashForbidden
        }
    }

    /// The failure in one sentence.
    public var message: String {
        switch cause {
        case .memory: "out of memory"
        case .library: "the cryptographic library failed"
        case .policy: "the cryptographic policy of the system forbids signatures with SHA-1"
        }
    }
}

extension rc_status {
    /// Throws a fault unless the status is .RC_OK.
    func orThrow() throws(CryptoFault) {
        guard self == .RC_OK else { throw CryptoFault(self) }
    }
}

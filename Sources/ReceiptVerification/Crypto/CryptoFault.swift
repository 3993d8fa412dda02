internal import CReceiptCrypto

/// A failure of the system: an allocation failed, or OpenSSL failed.
///
/// Invalid input never causes a fault; it has a result.
public struct CryptoFault: Error, Sendable, Hashable, CustomStringConvertible {
    private enum Reason: Hashable {
        case outOfMemory
        case refused
    }

    private let reason: Reason

    /// An allocation failed.
    public static let outOfMemory = CryptoFault(reason: .outOfMemory)
    /// OpenSSL failed for a reason that the input does not explain.
    public static let refused = CryptoFault(reason: .refused)

    private init(reason: Reason) {
        self.reason = reason
    }

    init(_ status: rc_status) {
        self.init(reason: status == .RC_NO_MEMORY ? .outOfMemory : .refused)
    }

    /// The fault as one sentence.
    public var description: String {
        switch reason {
        case .outOfMemory: "out of memory"
        case .refused: "the cryptographic library failed"
        }
    }
}

extension rc_status {
    /// Throws a fault unless the status is .RC_OK.
    func orThrow() throws(CryptoFault) {
        guard self == .RC_OK else { throw CryptoFault(self) }
    }
}

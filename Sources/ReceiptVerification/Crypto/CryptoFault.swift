internal import CReceiptCrypto

/// Nothing could be decided: the machine had no memory, or OpenSSL refused to work.
///
/// What the input is to blame for is never a fault; it is a result.
public struct CryptoFault: Error, Sendable, Hashable, CustomStringConvertible {
    private enum Reason: Hashable {
        case outOfMemory
        case refused
    }

    private let reason: Reason

    /// There was no memory.
    public static let outOfMemory = CryptoFault(reason: .outOfMemory)
    /// The library below refused to work for a reason that the input does not explain.
    public static let refused = CryptoFault(reason: .refused)

    private init(reason: Reason) {
        self.reason = reason
    }

    init(_ status: rc_status) {
        self.init(reason: status == .RC_NO_MEMORY ? .outOfMemory : .refused)
    }

    /// One sentence.
    public var description: String {
        switch reason {
        case .outOfMemory: "out of memory"
        case .refused: "the cryptographic library refused to work"
        }
    }
}

extension rc_status {
    /// Throws unless the status is .RC_OK; for calls that only a fault of the machine can stop.
    func orThrow() throws(CryptoFault) {
        guard self == .RC_OK else { throw CryptoFault(self) }
    }
}

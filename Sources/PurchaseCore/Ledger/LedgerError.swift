public import ReceiptTypes

/// An error of a ledger; except for ``LedgerErrorCode/timedOut``, the ledger has not changed.
public typealias LedgerError = PartError<LedgerErrorCode>

/// The stable reason of a ledger error.
public struct LedgerErrorCode: ErrorCode {
    /// The stable name in kebab case, such as `not-written`.
    public let rawValue: String

    /// Creates a code of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The change could not be made durable.
    public static let notWritten = Self(rawValue: "not-written")
    /// The stored content cannot be read.
    public static let notReadable = Self(rawValue: "not-readable")
    /// The entry is missing or has not reached the stage before the requested one.
    public static let outOfOrder = Self(rawValue: "out-of-order")
    /// The claim of the purchase has ended, or another service has claimed the purchase since.
    public static let claimLost = Self(rawValue: "claim-lost")
    /// The ledger has not answered within the deadline; it may still make the change.
    public static let timedOut = Self(rawValue: "timed-out")
}

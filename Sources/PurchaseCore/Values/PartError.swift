public import ReceiptTypes

/// An error of one part of the purchase side, such as a store, the ledger or the database, with codes of its own.
///
/// Each part has its own name for the type: a ``StoreError`` is a `PartError` with a ``StoreErrorCode``. So a `throws`
/// and a `catch` name the part, and a `switch` over the code has the cases of that part.
public struct PartError<Code: ErrorCode>: CodedError {
    /// The stable reason.
    public let code: Code
    /// What failed, in one sentence without a final full stop.
    public let message: String
    /// The milliseconds after which the same call is allowed or can succeed; nil if nothing says so.
    public let retryAfterMilliseconds: Int64?
    /// The error that caused this one.
    public let underlying: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, retryAfterMilliseconds: Int64? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.underlying = underlying
    }

    /// The name of the errors in a log: that of their codes without `Code`.
    public static var name: String { String("\(Code.self)".dropLast("Code".count)) }
}

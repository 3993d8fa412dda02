public import ReceiptTypes

/// The reason why a purchase is not verified, as one of four codes.
///
/// Its code is a closed set, because applications branch on exactly these four; ``failure`` has the open code.
public struct ReceiptSignatureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The code on which an application branches.
    public let code: VerificationErrorCode
    /// The open code of the failure and its explanation, for a log.
    public let message: String
    /// The failure with its expected and actual values.
    public let failure: VerificationFailure

    init(_ failure: VerificationFailure) {
        code = failure.errorCode
        message = failure.description
        self.failure = failure
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}

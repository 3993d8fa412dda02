/// The `status` of a response of the `verifyReceipt` endpoint, as far as it follows from a receipt alone.
///
/// The endpoint had further numbers for what cannot arise here: a wrong HTTP method (21000), a wrong shared secret
/// (21004), a server that is down (21005), receipts of the time before iOS 7 (21006), and deleted accounts (21010).
public struct VerifyReceiptStatus: NumberedEnum {
    /// The number in the response.
    public let rawValue: Int32

    /// Creates a status from any number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// 0: the receipt is verified.
    public static let valid = Self(rawValue: 0)
    /// 21002: the input is no app receipt, or one that cannot be read.
    public static let malformed = Self(rawValue: 21002)
    /// 21003: the receipt is not authentic, or is not accepted by the policy.
    public static let notAuthenticated = Self(rawValue: 21003)
    /// 21007: a receipt of the sandbox, which the policy does not accept.
    public static let sandboxReceipt = Self(rawValue: 21007)
    /// 21008: a receipt of production, which the policy does not accept.
    public static let productionReceipt = Self(rawValue: 21008)
    /// 21009: nothing was decided about the receipt.
    public static let internalError = Self(rawValue: 21009)

    /// The known numbers and their meanings.
    public static let meanings: KeyValuePairs<Self, String> = [
        .valid: "verified",
        .malformed: "malformed",
        .notAuthenticated: "not authenticated",
        .sandboxReceipt: "a receipt of the sandbox, where production is required",
        .productionReceipt: "a receipt of production, where the sandbox is required",
        .internalError: "undecided",
    ]

    /// The status for an app receipt that is not verified.
    public init(_ failure: VerificationFailure) {
        switch failure.code {
        case .environmentMismatch:
            switch failure.untrustedPayload.flatMap({ AppReceipt(members: $0).environment }) {
            case .sandbox?: self = .sandboxReceipt
            case .production?: self = .productionReceipt
            default: self = .notAuthenticated
            }
        case .internalError: self = .internalError
        case let code where code.step == .input || code.errorCode == .decodingError: self = .malformed
        case let code: self = code.isUndecided ? .internalError : .notAuthenticated
        }
    }
}

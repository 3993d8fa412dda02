public import ReceiptTypes

/// The reason that a purchase has not reached the app's own server; it waits in the records and is sent again.
public typealias SyncError = PartError<SyncErrorCode>

/// The stable reason of an error.
public struct SyncErrorCode: ErrorCode {
    /// The stable name in kebab case, such as `timed-out`.
    public let rawValue: String

    /// Creates a code of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// No connection to the server.
    public static let unreachable = Self(rawValue: "unreachable")
    /// No answer within the time limit; the server may have the purchase.
    public static let timedOut = Self(rawValue: "timed-out")
    /// The server cannot take purchases now.
    public static let unavailable = Self(rawValue: "unavailable")
    /// The server does not accept the app's or the user's credentials.
    public static let unauthorized = Self(rawValue: "unauthorized")
    /// The server refuses this purchase; another attempt with the same content is useless.
    public static let rejected = Self(rawValue: "rejected")
    /// The answer is none that the protocol knows, such as a redirect or an unknown path.
    public static let unknownAnswer = Self(rawValue: "unknown-answer")
    /// The address of the server can be read by others on the way.
    public static let insecureAddress = Self(rawValue: "insecure-address")
    /// The records could not be read or written.
    public static let recordsUnavailable = Self(rawValue: "records-unavailable")

    /// The codes of this version.
    public static let all: [Self] = [
        .unreachable, .timedOut, .unavailable, .unauthorized, .rejected, .unknownAnswer, .insecureAddress,
        .recordsUnavailable,
    ]
}

extension SyncError {
    /// What the app or the operator can do, in one sentence; nil for a code of another module.
    public var hint: String? {
        switch code {
        case .unreachable: "wait for the connection; the purchase is sent then"
        case .timedOut: "wait for the next attempt; the server must accept a purchase that it has already"
        case .unavailable: "wait for the next attempt, and look at the server's log if it lasts"
        case .unauthorized: "sign the user in again, or renew the token"
        case .rejected: "look in the server's log for the reason, and verify the purchase with verify-receipt"
        case .unknownAnswer: "compare the address and the server's answers with the documentation of the transport"
        case .insecureAddress: "use https; http is accepted for a server on the same machine only"
        case .recordsUnavailable: "see the underlying error; the purchases are sent later"
        default: nil
        }
    }

    /// Whether the next purchase can fare better: a slow answer, or an error of the server, can be due to one purchase.
    var isOfOnePurchase: Bool {
        code == .rejected || (retryAfterMilliseconds == nil && (code == .timedOut || code == .unavailable))
    }
}

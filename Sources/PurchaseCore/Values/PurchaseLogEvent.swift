public import ReceiptTypes

/// A log event. It contains neither a JWS nor an account.
///
/// Its ``detail`` can have the text of an error from outside of the package, and the id of a Google Play transaction is
/// its purchase token, so a log that is shared with support is a ``SupportLog``, which removes both.
public struct PurchaseLogEvent: Sendable, Hashable {
    /// The kind of an event; later versions can add kinds.
    public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case.
        public let rawValue: String

        /// Creates a kind of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// A transaction or renewal info is not verified; it unlocks nothing.
        public static let unverified = Self(rawValue: "unverified")
        /// A store delivered a purchase whose payment is not complete; it unlocks nothing.
        public static let pending = Self(rawValue: "pending")
        /// A transaction belongs to another account or contradicts a recorded one; logged once for each user in a run.
        public static let conflict = Self(rawValue: "conflict")
        /// A transaction is recorded, or resumed after a crash; logged once for each state of its facts.
        public static let recorded = Self(rawValue: "recorded")
        /// A purchase that could not be handed over at first is handed over.
        public static let handedOver = Self(rawValue: "handed-over")
        /// The fulfiller has failed or has not answered; the service tries again later.
        public static let notFulfilled = Self(rawValue: "not-fulfilled")
        /// A transaction could not be finished in the store; the service tries again later.
        public static let notFinished = Self(rawValue: "not-finished")
        /// The ledger could not be read or written.
        public static let ledgerFailed = Self(rawValue: "ledger-failed")
        /// The store could not be reached or has returned an error.
        public static let storeFailed = Self(rawValue: "store-failed")
        /// The store neither lists a recorded purchase nor has it in its history.
        public static let notListed = Self(rawValue: "not-listed")
        /// A purchase unlocks nothing until the store answers; see ``DenialReason/unconfirmed``.
        public static let unconfirmed = Self(rawValue: "unconfirmed")
        /// The entitlements could not be refreshed and stay unchanged.
        public static let refreshFailed = Self(rawValue: "refresh-failed")
        /// The account of the app's user is not a UUID, so the App Store does not sign it into purchases.
        ///
        /// Purchases then belong to the account only in the ledger, and not after a restore on another device.
        public static let unusableAccount = Self(rawValue: "unusable-account")
        /// The service was created without a ledger, so its records are lost when the process ends.
        public static let notDurable = Self(rawValue: "not-durable")
    }

    /// The kind of the event.
    public let kind: Kind
    /// The id of the product, if it is known.
    public let productID: String?
    /// The id of the transaction, if it is known.
    public let transactionID: String?
    /// A description for people.
    public let detail: String
    /// Facts for programs, by name, such as `code` and `reason`: codes and numbers of this package.
    public let fields: [String: String]

    /// Creates an event.
    public init(
        _ kind: Kind, productID: String? = nil, transactionID: String? = nil, detail: String,
        fields: [String: String] = [:]
    ) {
        self.kind = kind
        self.productID = productID
        self.transactionID = transactionID
        self.detail = detail
        self.fields = fields
    }

    /// Creates the event of an error, with its description and its ``fields(of:)``.
    public init(
        _ kind: Kind, productID: String? = nil, transactionID: String? = nil, context: String? = nil,
        error: any CodedError
    ) {
        self.init(
            kind, productID: productID, transactionID: transactionID,
            detail: (context.map { "\($0): " } ?? "") + error.description, fields: Self.fields(of: error))
    }

    /// Returns the type, the code and the cause of an error, and for a failed verification its step and its class.
    ///
    /// Of a cause without a code only the type is returned, because its text is not of this package.
    public static func fields(of error: any CodedError) -> [String: String] {
        var fields = ["error": type(of: error).name, "code": "\(error.code)"]
        if let failure = error as? VerificationFailure {
            fields["step"] = failure.step.rawValue
            fields["class"] = failure.errorCode.rawValue
            fields["verdict"] = failure.verdict.rawValue
        }
        if let cause = error.underlying {
            let coded = cause as? any CodedError
            fields["cause"] = coded.map { "\(type(of: $0).name) \($0.code)" } ?? "\(type(of: cause))"
        }
        return fields
    }
}

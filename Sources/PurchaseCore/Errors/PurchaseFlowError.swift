public import ReceiptTypes

/// An error of a purchase.
///
/// Two errors are equal if their codes and the codes of their causes are equal; the messages do not count.
public struct PurchaseFlowError: CodedError {
    /// The stable reason of a purchase error.
    public struct Code: ErrorCode {
        /// The stable name in kebab case, such as `purchases-disabled`.
        public let rawValue: String

        /// Creates a code of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Purchases are switched off.
        public static let purchasesDisabled = Self(rawValue: "purchases-disabled")
        /// The store has failed, whichever store it is; ``PurchaseFlowError/storeError`` says why.
        ///
        /// The name comes from the source documents, which know one store.
        public static let storeKitError = Self(rawValue: "store-kit-error")
        /// A purchase of another product is in progress.
        public static let purchaseInProgress = Self(rawValue: "purchase-in-progress")
        /// The product does not unlock the requested entitlement, or is no consumable and unlocks nothing; the store
        /// was not asked.
        public static let wrongProduct = Self(rawValue: "wrong-product")
        /// The store has sold a product other than the requested one.
        public static let differentProduct = Self(rawValue: "different-product")
        /// The purchase is not verified, and verifying it again cannot change that; ``PurchaseFlowError/underlying`` is
        /// the `VerificationFailure`.
        public static let unverified = Self(rawValue: "unverified")
        /// The purchase was refunded.
        public static let revoked = Self(rawValue: "revoked")
        /// The store has answered with a subscription period that is over or was upgraded, and has sold nothing.
        public static let notInForce = Self(rawValue: "not-in-force")
        /// The purchase belongs to another account, or contradicts a recorded one.
        public static let conflict = Self(rawValue: "conflict")
        /// Another user of the app has bought the product, or a subscription of its group, in the same account of the
        /// store.
        ///
        /// The store was not asked: it would have changed the plan of the other user.
        public static let ownedByAnotherUser = Self(rawValue: "owned-by-another-user")
        /// The app's user has signed out, so there is no account to buy for.
        public static let signedOut = Self(rawValue: "signed-out")
        /// The ledger cannot be read, so the purchase was not started.
        public static let ledgerUnavailable = Self(rawValue: "ledger-unavailable")
        /// The customer has paid and the purchase is not recorded yet; the store delivers it again.
        public static let notRecorded = Self(rawValue: "not-recorded")
        /// There were too many calls in a short time; the purchase was not started.
        public static let rateLimited = Self(rawValue: "rate-limited")
        /// A recovery of the recorded purchases is in progress; the purchase was not started.
        public static let recoveryInProgress = Self(rawValue: "recovery-in-progress")
        /// An error without a more specific code.
        public static let unknown = Self(rawValue: "unknown")

        /// The codes of this version.
        public static let all: [Self] = [
            .unknown, .purchasesDisabled, .storeKitError, .purchaseInProgress, .wrongProduct, .differentProduct,
            .revoked, .notInForce, .conflict, .ownedByAnotherUser, .signedOut, .ledgerUnavailable, .notRecorded,
            .unverified, .rateLimited, .recoveryInProgress,
        ]
    }

    /// The stable reason.
    public let code: Code
    /// What failed, in one sentence without a final full stop, for a log and for support.
    ///
    /// It is not for the customer: it can contain product ids, and it is in English. Choose a text by ``code``,
    /// ``storeError`` and ``isRetryable``, or show `recoverySuggestion`.
    public let message: String
    /// The error that caused this one.
    public let underlying: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Purchases are switched off.
    public static let purchasesDisabled = Self(.purchasesDisabled, "purchases are switched off")
    /// The reason is not known.
    public static let unknown = Self(.unknown, "the purchase failed for an unknown reason")

    /// Returns an error for a failure of the store, with the store's message.
    public static func storeKitError(_ error: any Error) -> Self {
        Self(.storeKitError, (error as? StoreError)?.message ?? "\(error)", underlying: error)
    }

    /// Returns an error for a purchase that is not verified, with the failure as its cause.
    public static func unverified(_ failure: VerificationFailure) -> Self {
        Self(.unverified, failure.message, underlying: failure)
    }

    /// The reason that the purchase is not verified; nil if another reason made it fail.
    public var verificationFailure: VerificationFailure? { underlying as? VerificationFailure }

    /// The failure of the store; nil if another reason made the purchase fail.
    public var storeError: StoreError? { underlying as? StoreError }

    /// Whether the same purchase can succeed later, without a change by the customer or the app.
    public var isRetryable: Bool {
        switch code {
        case .purchaseInProgress, .ledgerUnavailable, .rateLimited, .recoveryInProgress: true
        default: storeError?.isRetryable ?? verificationFailure?.isRetryable ?? false
        }
    }

    static func purchaseInProgress(_ productID: String) -> Self {
        Self(.purchaseInProgress, "a purchase of \(productID) is in progress")
    }
}

extension PurchaseFlowError {
    /// Returns whether the codes and the causes are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.cause == right.cause
    }

    /// Feeds the code and the cause into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(cause)
    }

    /// The type and the code of the underlying error; its description, if it has no code.
    private var cause: [String] {
        guard let underlying else { return [] }
        let detail = (underlying as? any CodedError)?.code.rawValue ?? "\(underlying)"
        return [String(reflecting: type(of: underlying)), detail]
    }
}

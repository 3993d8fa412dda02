public import ReceiptTypes

/// An error of a purchase, a restore or a load of products, in the classes of the source documents.
///
/// It is what a screen and a log need from any error of this package: ``init(_:platform:productID:)`` converts them all
/// by one table, so every error has a class, the answer to whether a retry can help, and a text for the customer.
///
/// ```swift
/// let error = PurchaseError(error, platform: .ios, productID: "com.example.pro.yearly")
/// show(error.userMessage(languages: ["ja-JP"]), offersRetry: error.isRetryable)
/// ```
public struct PurchaseError: CodedError {
    /// The class of an error, with the name that the source documents give it.
    public struct Code: ErrorCode {
        /// The name, such as `NETWORK_ERROR`.
        public let rawValue: String

        /// Creates a code of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The store cannot be reached. A call that buys nothing can be repeated automatically.
        public static let networkError = Self(rawValue: "NETWORK_ERROR")
        /// The store has a problem. The customer can try again later.
        public static let storeProblem = Self(rawValue: "STORE_PROBLEM_ERROR")
        /// The customer has cancelled.
        public static let purchaseCancelled = Self(rawValue: "PURCHASE_CANCELLED")
        /// The purchase unlocks nothing; ``PurchaseError/reason`` says why.
        public static let purchaseInvalid = Self(rawValue: "PURCHASE_INVALID")
        /// The store does not sell the product.
        public static let productUnavailable = Self(rawValue: "PRODUCT_UNAVAILABLE")
        /// Any other error; ``PurchaseError/underlying`` says which.
        public static let unknownError = Self(rawValue: "UNKNOWN_ERROR")

        /// The codes of this version.
        public static let all: [Self] = [
            .networkError, .storeProblem, .purchaseCancelled, .purchaseInvalid, .productUnavailable, .unknownError,
        ]
    }

    /// The reason that a purchase is invalid, with the name that the source documents give it.
    public struct Reason: ErrorCode {
        /// The name, such as `not_signed`.
        public let rawValue: String

        /// Creates a reason of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The store has not signed the purchase, or the signed content cannot be read.
        public static let notSigned = Self(rawValue: "not_signed")
        /// The purchase was made in another app, for another product or in another environment.
        public static let wrongBundle = Self(rawValue: "wrong_bundle")
        /// The store has revoked, refunded or cancelled the purchase.
        public static let revoked = Self(rawValue: "revoked")

        /// The reasons of this version.
        public static let all: [Self] = [.notSigned, .wrongBundle, .revoked]
    }

    /// The platform that an error comes from, with the name that the source documents give it.
    public struct Platform: ErrorCode {
        /// The name, such as `ios`.
        public let rawValue: String

        /// Creates a platform of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The App Store.
        public static let ios = Self(rawValue: "ios")
        /// Google Play.
        public static let android = Self(rawValue: "android")
        /// RevenueCat.
        public static let revenueCat = Self(rawValue: "revenueCat")
    }

    /// The class of the error.
    public let code: Code
    /// What failed, in one sentence without a final full stop, for a log and for support; not for the customer.
    public let message: String
    /// The error that caused this one.
    public let underlying: (any Error)?
    /// The platform that the error comes from, if the caller has named it.
    public let platform: Platform?
    /// The number that the store's own interface gives the error, if it gives one; see ``NativeStoreError``.
    public let nativeErrorCode: Int?
    /// The id of the product that the error is about, if it is known.
    public let productID: String?
    /// The reason that the purchase is invalid; nil for every code but ``Code/purchaseInvalid``.
    public let reason: Reason?
    /// Whether the same call can succeed later.
    ///
    /// After a purchase, offer another attempt only if ``PurchaseReport/offersRetry`` is true as well: a store
    /// that fails can have sold the product.
    ///
    /// It is true for ``Code/networkError`` and ``Code/storeProblem``, and for a call that the app itself has refused
    /// for a short time. Only a ``Code/networkError`` is retried automatically; see ``NetworkRetry``.
    public let isRetryable: Bool
    /// The class of the error among the five of a purchase flow.
    public let flowCode: PurchaseFlowCode
    /// The key of the text that tells the customer what has happened.
    public let messageKey: MessageKey

    /// Creates an error of a class, for code that has no error of this package to convert.
    ///
    /// - Parameters:
    ///   - code: The class.
    ///   - message: What failed, in one sentence without a final full stop.
    ///   - underlying: The error that caused this one.
    ///   - platform: The platform that the error comes from.
    ///   - nativeErrorCode: The number that the store's own interface gives the error.
    ///   - productID: The product that the error is about.
    ///   - reason: The reason that a purchase is invalid; ignored for every code but ``Code/purchaseInvalid``.
    public init(
        _ code: Code, _ message: String, underlying: (any Error)? = nil, platform: Platform? = nil,
        nativeErrorCode: Int? = nil, productID: String? = nil, reason: Reason = .notSigned
    ) {
        self.init(
            ErrorTable.row(for: code, reason), message, underlying: underlying, platform: platform,
            nativeErrorCode: nativeErrorCode, productID: productID)
    }

    init(
        _ row: ErrorTable.Row, _ message: String, underlying: (any Error)?, platform: Platform?, nativeErrorCode: Int?,
        productID: String?
    ) {
        code = row.code
        reason = row.reason
        isRetryable = row.isRetryable
        flowCode = row.flow
        messageKey = row.message
        self.message = message
        self.underlying = underlying
        self.platform = platform
        self.nativeErrorCode = nativeErrorCode
        self.productID = productID
    }

    /// The class of a failed verification among the four of the source documents; nil for any other error.
    public var verificationCode: VerificationErrorCode? {
        let failure = underlying as? VerificationFailure ?? (underlying as? PurchaseFlowError)?.verificationFailure
        return failure?.errorCode
    }
}

/// The class of a failed purchase flow, with the name that the source documents give it.
public struct PurchaseFlowCode: ErrorCode {
    /// The name, such as `VERIFICATION_FAILED`.
    public let rawValue: String

    /// Creates a code of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The customer has cancelled.
    public static let cancelled = Self(rawValue: "CANCELLED")
    /// The store cannot be reached or has a problem.
    public static let networkError = Self(rawValue: "NETWORK_ERROR")
    /// The purchase is not verified.
    public static let verificationFailed = Self(rawValue: "VERIFICATION_FAILED")
    /// The ledger or the database cannot be read or written.
    public static let databaseError = Self(rawValue: "DB_ERROR")
    /// Any other error.
    public static let unknownError = Self(rawValue: "UNKNOWN_ERROR")

    /// The codes of this version.
    public static let all: [Self] = [
        .cancelled, .networkError, .verificationFailed, .databaseError, .unknownError,
    ]

    /// Whether the source documents call the class retryable; ``PurchaseError/isRetryable`` is more exact.
    public var isRetryable: Bool { self == .networkError || self == .databaseError }
}

/// An error of a store's own interface that has a number, for ``PurchaseError/nativeErrorCode``.
///
/// An adapter of Google Play, for example, conforms with the response code of the Billing Library. An `NSError` of an
/// Apple system has its number without a conformance.
public protocol NativeStoreError: Error {
    /// The number.
    var nativeErrorCode: Int { get }
}

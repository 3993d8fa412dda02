public import ReceiptTypes

extension VerificationFailure.Code {
    /// The store itself reports a problem with the transaction; its signature is not checked.
    public static let storeObjection = Self(
        "store-objection", step: .input, errorCode: .invalidSignature,
        meaning: "The store reports that the transaction is not valid",
        hint: "unlock nothing; the customer can restore purchases once the store accepts the transaction"
    )
    /// The verified payload has no transaction ID, product ID, product type or purchase date.
    public static let transactionIncomplete = Self(
        "transaction-incomplete", step: .claims, errorCode: .decodingError,
        meaning: "The transaction lacks its ID, product, product type or purchase date",
        hint: "keep the transaction and report it; no store sends a purchase without these claims"
    )
    /// A verified renewal info lacks a claim without which nothing follows from it.
    public static let renewalInfoIncomplete = Self(
        "renewal-info-incomplete", step: .claims, errorCode: .decodingError,
        meaning: "The renewal info lacks its original transaction ID or its signing date",
        hint: "keep the renewal info and report it; no store sends one without these claims"
    )
    /// The verified transaction belongs to another account of the app.
    public static let accountMismatch = Self(
        "account-mismatch", step: .claims, errorCode: .unknownError,
        meaning: "The transaction belongs to another account of this app",
        hint: "sign in with the account that made the purchase"
    )
    /// The ledger has recorded another purchase with the ID of the verified transaction.
    public static let transactionConflict = Self(
        "transaction-conflict", step: .claims, errorCode: .unknownError,
        meaning: "The ledger has another purchase with the ID of this transaction",
        hint: "keep both transactions and report them; a store never uses an ID for two purchases"
    )
    /// The platform has not delivered the transaction in this run, so there is no verdict on it.
    public static let platformVerdictMissing = Self(
        "platform-verdict-missing", step: .signature, errorCode: .keyNotFound,
        meaning: "The platform has not delivered the transaction since the app was started",
        hint: "unlock nothing; the transaction counts as soon as the platform lists it",
        isRetryable: true, isUndecided: true
    )
    /// The platform has delivered another version of the transaction in this run, which counts in place of this one.
    public static let platformVersionDiffers = Self(
        "platform-version-differs", step: .signature, errorCode: .keyNotFound,
        meaning: "The platform delivers another version of the transaction",
        hint: "use the version that the platform delivers; this one is only in the ledger",
        isUndecided: true
    )
    /// The verifier of an app receipt knows no device or no app that the receipt could be compared with.
    public static let receiptBindingUnchecked = Self(
        "receipt-binding-unchecked", step: .claims, errorCode: .unknownError,
        meaning: "The verifier does not know the device or the app that the app receipt must be bound to",
        hint: "name the app and the device in the policy of the verifier; a receipt can be copied to other devices"
    )
    /// The app's list of Google Play products does not have a product of the purchase, or has several of other kinds.
    public static let playProductUnknown = Self(
        "play-product-unknown", step: .claims, errorCode: .unknownError,
        meaning: "The purchase is not of products of one kind that the app sells on Google Play",
        hint: "add the products to the list; until then nothing is acknowledged, and the store refunds in three days",
        isRetryable: true
    )

    /// The verifier has not answered within the deadline.
    public static let verificationTimedOut = Self(
        "verification-timed-out", step: .signature, errorCode: .unknownError,
        meaning: "The verifier has not answered within the deadline",
        hint: "verify the transaction again; check the connection if the verifier is a server",
        isRetryable: true, isUndecided: true
    )
    /// A purchase service reports a purchase as unverified and gives no reason.
    public static let reasonUnknown = Self(
        "reason-unknown", step: .signature, errorCode: .unknownError,
        meaning: "The purchase service gives no reason why the purchase is not verified",
        hint: "unlock nothing; the service can report the failure with the result of the purchase",
        isRetryable: true
    )

    /// The codes that the purchase core adds to `VerificationFailure.Code.all`.
    ///
    /// A ledger that stores raw values reads them back with `Code(rawValue: text, among: Code.purchaseCodes)`.
    public static let purchaseCodes: [Self] = [
        .storeObjection, .transactionIncomplete, .renewalInfoIncomplete, .accountMismatch, .transactionConflict,
        .receiptBindingUnchecked, .platformVersionDiffers, .platformVerdictMissing, .playProductUnknown,
        .verificationTimedOut, .reasonUnknown,
    ]
}

extension RecordConflict {
    /// The failure that reports the conflict.
    package var failure: VerificationFailure {
        switch self {
        case .belongsToAnotherAccount: VerificationFailure(code: .accountMismatch)
        case .differentPurchase: VerificationFailure(code: .transactionConflict)
        }
    }
}

extension VerificationFailure {
    /// Whether the verifier has not answered in time.
    var isTimeout: Bool { code == .verificationTimedOut }

    /// Whether a recorded transaction with this failure can count later in this run.
    ///
    /// The platform delivers each transaction that counts, so one without its verdict, such as an expired one, does
    /// not.
    package var mayCountLater: Bool { verdict == .undecided && !isOfPlatform }

    /// Whether the platform has not delivered the text in this run, but nothing or another version.
    ///
    /// The verdict comes with a delivery, so another attempt does not find one.
    var isOfPlatform: Bool { code == .platformVerdictMissing || code == .platformVersionDiffers }
}

internal import ReceiptTypes

/// The table from every error code of the package to its class and its text for the customer.
enum ErrorTable {
    /// What a code means for the customer and for the app.
    struct Row: Sendable {
        let code: PurchaseError.Code
        let reason: PurchaseError.Reason?
        let flow: PurchaseFlowCode
        let message: MessageKey
        let isRetryable: Bool
        /// Whether the code alone proves that the call has sold nothing.
        let isChargeRuledOut: Bool

        init(
            _ code: PurchaseError.Code, _ flow: PurchaseFlowCode, _ message: MessageKey,
            reason: PurchaseError.Reason? = nil, isRetryable: Bool = false, isChargeRuledOut: Bool = false
        ) {
            self.code = code
            self.reason = reason
            self.flow = flow
            self.message = message
            self.isRetryable = isRetryable
            self.isChargeRuledOut = isChargeRuledOut
        }

        /// The row of an error that was converted before.
        init(_ error: PurchaseError) {
            self.init(
                error.code, error.flowCode, error.messageKey, reason: error.reason, isRetryable: error.isRetryable)
        }

        static func uncharged(_ message: MessageKey, isRetryable: Bool = false) -> Self {
            Row(.unknownError, .unknownError, message, isRetryable: isRetryable, isChargeRuledOut: true)
        }
    }

    static let unknown = Row(.unknownError, .unknownError, .unexpected)
    private static let network = Row(.networkError, .networkError, .network, isRetryable: true)
    // The flow has no class for a problem of the store. This one is retryable too.
    private static let storeProblem = Row(.storeProblem, .networkError, .storeProblem, isRetryable: true)
    private static let cancelled = Row(.purchaseCancelled, .cancelled, .cancelled)
    /// The customer has closed the store's sheet of a restore, which the same call shows again.
    static let restoreCancelled = Row(
        .purchaseCancelled, .cancelled, .restoreCancelled, isRetryable: true, isChargeRuledOut: true)
    private static let unavailable = Row(
        .productUnavailable, .unknownError, .productUnavailable, isChargeRuledOut: true)
    private static let database = Row(.unknownError, .databaseError, .storage, isRetryable: true)
    private static let revoked = Row(.purchaseInvalid, .verificationFailed, .revoked, reason: .revoked)

    static let store: [StoreError.Code: Row] = [
        .network: network,
        // Nothing says that the network is the cause, and the call may still have an effect.
        .timedOut: storeProblem,
        .system: storeProblem,
        .productUnavailable: unavailable,
        .purchaseNotAllowed: .uncharged(.notAllowed),
        .invalidQuantity: .uncharged(.quantity),
        .ineligibleForOffer: .uncharged(.offer),
        .alreadyOwned: .uncharged(.alreadyOwned),
        .userCancelled: cancelled,
        .unsupported: .uncharged(.unsupported),
        .unknown: unknown,
    ]

    /// The codes of a flow; an error with a cause that has a row of its own has that row instead.
    static let flow: [PurchaseFlowError.Code: Row] = [
        .purchasesDisabled: .uncharged(.salesPaused),
        .storeKitError: unknown,
        // The purchase in progress is the one that can cost something.
        .purchaseInProgress: Row(.unknownError, .unknownError, .inProgress, isRetryable: true),
        .wrongProduct: unavailable,
        .differentProduct: Row(.unknownError, .unknownError, .differentProduct),
        .unverified: Row(.purchaseInvalid, .verificationFailed, .unconfirmed, reason: .notSigned),
        .revoked: revoked,
        // The store has answered with a purchase that it made before.
        .notInForce: Row(.storeProblem, .networkError, .storeProblem, isRetryable: true, isChargeRuledOut: true),
        .conflict: Row(.unknownError, .verificationFailed, .otherAccount),
        .ownedByAnotherUser: .uncharged(.otherAccount),
        .signedOut: .uncharged(.signedOut),
        // The purchase was not started.
        .ledgerUnavailable: Row(
            .unknownError, .databaseError, .storage, isRetryable: true, isChargeRuledOut: true),
        // The customer has paid: a retry would pay again, and the service records the purchase by itself.
        .notRecorded: Row(.unknownError, .unknownError, .notSaved),
        .rateLimited: .uncharged(.rateLimited, isRetryable: true),
        .recoveryInProgress: .uncharged(.recovering, isRetryable: true),
        .unknown: unknown,
    ]

    static let ledger: [LedgerError.Code: Row] = [
        .notWritten: database,
        .notReadable: database,
        .outOfOrder: database,
        .claimLost: database,
        .timedOut: database,
    ]

    static let verification: [VerificationFailure.Code: Row] = rows([
        (
            Row(.purchaseInvalid, .verificationFailed, .unconfirmed, reason: .notSigned),
            [
                .recordMalformed, .tooLarge, .segmentCount, .encoding, .headerMalformed, .algorithm,
                .containerMalformed, .containerUnsupported, .signerMismatch, .receiptAlgorithm, .unmarkedGeneration,
                .attributesMalformed, .tooManyAttributes, .tooManyPurchases, .attributeInvalid, .attributeDuplicate,
                .attributeMissing,
                .headerUnsupported, .chainLength, .certificateMalformed, .certificateDistrusted, .chainInvalid,
                .untrustedRoot, .leafIsCA, .leafKeyUnsupported, .leafKeyUsage, .leafMarkerMissing, .intermediateNotCA,
                .rootCannotIssue, .intermediatePathLength, .intermediateKeyUsage, .intermediateMarkerMissing,
                .certificateCriticalExtension, .certificateAlgorithm, .certificateExpired, .signatureMalformed,
                .signatureInvalid, .payloadMalformed, .payloadNotAnObject, .signingTimeInvalid, .kindMismatch,
                .claimType, .nestedMismatch, .nestedUnverified, .storeObjection, .transactionIncomplete,
                .renewalInfoIncomplete,
            ]
        ),
        (
            Row(.purchaseInvalid, .verificationFailed, .unconfirmed, reason: .wrongBundle),
            [
                .bundleIDMismatch, .appAppleIDMismatch, .environmentMismatch, .rootEnvironmentMismatch,
                .givenRootForProduction, .productIDMismatch, .deviceMismatch,
            ]
        ),
        (revoked, [.purchaseRevoked, .purchaseCancelled]),
        (Row(.unknownError, .verificationFailed, .otherAccount), [.accountMismatch]),
        // Nothing was decided, or the signature is valid and something else is unknown.
        (
            Row(.unknownError, .verificationFailed, .unconfirmed),
            [
                .formatUnrecognized, .notAReceipt, .searchIncomplete, .legacyReceiptUnsupported, .tooManyReceipts,
                .empty, .receiptMissing,
                .nothingToVerify, .keyInvalid, .kindUnrecognized, .uncheckedClaim, .purchaseStateUnknown,
                .transactionConflict, .receiptBindingUnchecked, .platformVersionDiffers, .hashForbidden,
            ]
        ),
        (Row(.unknownError, .verificationFailed, .awaitingPayment), [.purchasePending]),
        // Another verification can succeed, and the service repeats it. The customer must not buy again.
        (
            Row(.unknownError, .verificationFailed, .checking),
            [
                .noTrustAnchor, .keyNotFound, .signedInTheFuture, .certificateNotYetValid, .internalError,
                .platformVerdictMissing, .playProductUnknown, .verificationTimedOut, .reasonUnknown,
            ]
        ),
    ])

    private static func rows(_ groups: [(Row, [VerificationFailure.Code])]) -> [VerificationFailure.Code: Row] {
        Dictionary(
            groups.flatMap { row, codes in codes.map { ($0, row) } }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the row of a class.
    static func row(for code: PurchaseError.Code, _ reason: PurchaseError.Reason) -> Row {
        switch code {
        case .networkError: network
        case .storeProblem: storeProblem
        case .purchaseCancelled: cancelled
        case .purchaseInvalid where reason == .revoked: revoked
        case .purchaseInvalid: Row(.purchaseInvalid, .verificationFailed, .unconfirmed, reason: reason)
        case .productUnavailable: unavailable
        case .unknownError: unknown
        default: Row(code, .unknownError, .unexpected)
        }
    }

    /// Returns the row of an error; that of an unknown error for a code that the table does not have.
    static func row(for error: any Error) -> Row {
        switch error {
        case let error as StoreError: store[error.code] ?? unknown
        case let error as LedgerError: ledger[error.code] ?? unknown
        // After the repair of the database, or an update of the app, the same call succeeds.
        case is DatabaseError: database
        case let error as VerificationFailure: row(for: error)
        case let error as PurchaseFlowError:
            switch (error.code, error.underlying) {
            case (.storeKitError, let cause as StoreError): row(for: cause)
            // An app's own service can fail with a class.
            case (.storeKitError, let cause as PurchaseError): row(for: cause)
            case (.unverified, let cause as VerificationFailure): row(for: cause)
            // Also a contradiction of the facts, which is no matter of accounts.
            case (.conflict, let cause as VerificationFailure): row(for: cause)
            default: flow[error.code] ?? unknown
            }
        case let error as PurchaseError: Row(error)
        case is RateLimitError: flow[.rateLimited] ?? unknown
        case is CancellationError: cancelled
        default: unknown
        }
    }

    /// Returns the row of a failure. A code of another module unlocks nothing either.
    private static func row(for failure: VerificationFailure) -> Row {
        verification[failure.code]
            ?? Row(
                failure.isRetryable ? .unknownError : .purchaseInvalid, .verificationFailed,
                failure.isRetryable ? .checking : .unconfirmed, reason: failure.isRetryable ? nil : .notSigned)
    }
}

internal import ReceiptTypes

/// The outcome of a purchase, as a coordinator returns it.
public enum PurchaseOutcome: Sendable, Hashable {
    /// The store has sold the product: the purchase is verified, recorded, handed over and finished.
    ///
    /// This is the place for a "thank you". A free trial is a sale too, with a price of zero.
    case success
    /// The customer has the product, and the store has sold nothing: no money has moved.
    ///
    /// The customer owns the non-consumable or has this plan already, or has cancelled a planned change of plan by
    /// choosing the present plan. An offer for the next renewal is ``PendingReason/offerAtRenewal(productID:date:)``,
    /// and a renewal that is switched on again ``PendingReason/renewsAgain(productID:date:)``. Only a purchase that was
    /// recorded before counts: in the first run after an installation, an ``EntitlementStore/start()`` that has ended,
    /// or a restore, has recorded them.
    case alreadyOwned
    /// The customer has cancelled.
    case cancelled
    /// Something is left to do, and the customer may have paid; the reason says what is left.
    case pending(PendingReason)
    /// The purchase has failed.
    case failed(PurchaseFlowError)
}

extension PurchaseOutcome {
    /// Whether the purchase has changed what the customer owns or which plan follows.
    package var changesEntitlements: Bool {
        switch self {
        case .success, .alreadyOwned, .pending(.notHandedOver), .pending(.changesAtRenewal),
            .pending(.offerAtRenewal), .pending(.renewsAgain):
            true
        case .cancelled, .pending, .failed: false
        }
    }
}

extension PurchaseOutcome {
    /// The outcome as a service's result.
    var result: PurchaseResult {
        switch self {
        case .success: .success(verified: true)
        case .alreadyOwned: .alreadyOwned
        case .cancelled: .userCancelled
        case .pending(.awaitingApproval): .pending
        case .pending(let reason): .deferred(reason)
        case .failed(let error): .failed(error.code == .storeKitError ? error.underlying ?? error : error)
        }
    }
}

/// The mapping from a service's result to an outcome, shared by all coordinators.
public enum PurchaseResultMapping {
    /// Returns the outcome of a result. Only a verified purchase is a success.
    public static func outcome(of result: PurchaseResult) -> PurchaseOutcome {
        switch result {
        case .success(verified: true): .success
        case .alreadyOwned: .alreadyOwned
        case .success(verified: false): .pending(.unverified(VerificationFailure(code: .reasonUnknown)))
        case .userCancelled: .cancelled
        case .pending: .pending(.awaitingApproval)
        case .deferred(let reason): .pending(reason)
        case .failed(let error): outcome(of: error)
        }
    }

    private static func outcome(of error: any Error) -> PurchaseOutcome {
        if let error = error as? StoreError, error.code == .userCancelled { return .cancelled }
        if let failure = error as? VerificationFailure { return outcome(of: PurchaseResult(unverified: failure)) }
        guard let error = error as? PurchaseFlowError else { return .failed(.storeKitError(error)) }
        // The customer has paid; a failure would invite them to pay again.
        return error.code == .notRecorded ? .pending(.notRecorded) : .failed(error)
    }
}

/// The outcome of a purchase, as a coordinator returns it.
public enum PurchaseOutcome: Sendable, Hashable {
    /// The purchase is verified and recorded, and its entitlement is unlocked.
    case success
    /// The customer has cancelled.
    case cancelled
    /// The purchase may still succeed later; nothing is unlocked yet.
    case pending(PendingReason)
    /// The purchase has failed.
    case failed(PurchaseFlowError)
}

/// The reason that a purchase is pending.
public enum PendingReason: String, Sendable, Hashable, CaseIterable {
    /// The purchase awaits an approval.
    case awaitingApproval = "awaiting-approval"
    /// The store has sold the product, but its signature is not verified.
    case unverified
    /// The customer has paid, but the purchase is not recorded yet.
    case notRecorded = "not-recorded"
}

/// The mapping from a service's result to an outcome, shared by all coordinators.
public enum PurchaseResultMapping {
    /// Returns the outcome of a result. Only a verified purchase is a success.
    public static func outcome(of result: PurchaseResult) -> PurchaseOutcome {
        switch result {
        case .success(verified: true): .success
        case .success(verified: false): .pending(.unverified)
        case .userCancelled: .cancelled
        case .pending: .pending(.awaitingApproval)
        case .failed(let error): outcome(of: error)
        }
    }

    private static func outcome(of error: any Error) -> PurchaseOutcome {
        if let error = error as? StoreError, error.code == .userCancelled { return .cancelled }
        guard let error = error as? PurchaseFlowError else { return .failed(.storeKitError(error)) }
        // The customer has paid; a failure would invite them to pay again.
        return error.code == .notRecorded ? .pending(.notRecorded) : .failed(error)
    }
}

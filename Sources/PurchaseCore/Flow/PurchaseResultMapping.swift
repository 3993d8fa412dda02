/// Turns what the service tells into what a caller needs to know; the same for everything that is sold.
public enum PurchaseResultMapping {
    /// The outcome of a result. Only a verified purchase is a success.
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
        // Telling somebody who has paid that it failed would make them pay again.
        return error.code == .notRecorded ? .pending(.notRecorded) : .failed(error)
    }
}

internal import PurchaseCore
internal import ReceiptTypes

extension PurchaseOutcome {
    /// Whether the store has sold something, the chosen plan or another one, or has changed a plan.
    var mayHaveChangedEntitlements: Bool {
        if case .failed(let error) = self { return error.code == .differentProduct }
        return changesEntitlements
    }

    /// What is known about the purchase that can still arrive; nil if none can.
    var standing: BegunPurchase.Standing? {
        switch self {
        case .success: .sold
        case .alreadyOwned, .cancelled, .pending(.changesAtRenewal), .pending(.offerAtRenewal), .pending(.renewsAgain):
            nil
        case .pending(.awaitingApproval): .awaitingApproval
        case .pending(.awaitingSignIn), .pending(.notRecorded), .pending(.notHandedOver): .sold
        case .pending(.unverified(let failure)): failure.isRetryable ? .unverified : .undecided
        case .pending(.noAnswer): .undecided
        case .failed(let error):
            switch error.code {
            // The sale of another product, a purchase of another caller, and what the store has revoked.
            case .differentProduct, .purchaseInProgress: nil
            default: isChargePossible && PurchaseError(error).reason != .revoked ? .undecided : nil
            }
        }
    }

    private var isChargePossible: Bool { PurchaseReport.Sale(self) != .notSold }
}

extension OneTimeRestoreResult {
    /// Whether the store has answered about every purchase, and each of them is recorded.
    var isComplete: Bool {
        // A purchase that is rejected, or could not be recorded, can be the one that is looked for.
        guard problems.isEmpty else { return false }
        if case .failed(let error) = outcome { return error.isAwaitingApproval }
        return true
    }

    /// Whether purchases are rejected for good, and every other one is recorded or awaits an approval.
    var onlyRejectsForGood: Bool {
        let rejected = (problems + [outcomeError].compactMap(\.self)).filter { !$0.isAwaitingApproval }
        return !rejected.isEmpty && rejected.allSatisfy { $0.verificationFailure.map { !$0.isRetryable } ?? false }
    }

    private var outcomeError: PurchaseError? {
        if case .failed(let error) = outcome { error } else { nil }
    }
}

internal import ReceiptTypes

/// How a call to ``OneTimePurchaseFlow/purchaseProduct(_:options:)`` ended: what was sold, handed over and recorded.
public struct OneTimePurchaseResult: Sendable, Hashable {
    /// Whether the call sold something.
    public enum Sale: String, Sendable, Hashable, CaseIterable {
        /// The customer has paid.
        case sold
        /// The call cost nothing.
        case notSold = "not-sold"
        /// It is not known: the store has not answered, the purchase awaits an approval, or the store's answer is
        /// rejected.
        case undecided
    }

    /// How the purchase ended.
    public let outcome: PurchaseOutcome
    /// Whether the call sold something.
    public let sale: Sale
    /// The recorded purchase; nil if there is none, or if it could not be recorded yet.
    public let purchase: Purchase?
    /// The reason that the purchase failed, or that a purchase is not recorded yet; nil for every other ending.
    ///
    /// The second one is no reason to buy again: ``PurchaseError/isRetryable`` is false.
    public let error: PurchaseError?
    /// The failure of the store when the product was loaded, as in ``PurchaseProposal/warning``; nil if it has
    /// answered.
    ///
    /// It says that the network was down before the purchase, and is no reason that the purchase has failed.
    public let warning: PurchaseError?

    /// Creates a result.
    public init(
        outcome: PurchaseOutcome, sale: Sale, purchase: Purchase? = nil, error: PurchaseError? = nil,
        warning: PurchaseError? = nil
    ) {
        self.outcome = outcome
        self.sale = sale
        self.purchase = purchase
        self.error = error
        self.warning = warning
    }

    /// Whether the customer has the product, with everything that the fulfiller grants for it.
    public var isHandedOver: Bool { outcome == .success || outcome == .alreadyOwned }

    /// Whether a screen may offer to buy again: the call has certainly cost nothing, and another one can succeed.
    ///
    /// ``PurchaseError/isRetryable`` alone does not say so: a store that fails can have sold the product before.
    public var offersRetry: Bool { sale == .notSold && (error?.isRetryable ?? (outcome == .cancelled)) }

    /// The class of the ending among the five documented ones; nil if the purchase did not fail.
    public var flowCode: PurchaseFlowCode? {
        switch outcome {
        case .cancelled: .cancelled
        case .failed: error?.flowCode
        case .success, .alreadyOwned, .pending: nil
        }
    }
}

extension OneTimePurchaseResult.Sale {
    /// Creates the answer for a call that has asked the service to buy.
    package init(_ outcome: PurchaseOutcome) {
        switch outcome {
        case .success: self = .sold
        case .alreadyOwned, .cancelled: self = .notSold
        case .pending(let reason):
            switch reason {
            case .unverified, .notRecorded, .notHandedOver, .awaitingSignIn: self = .sold
            case .changesAtRenewal, .offerAtRenewal, .renewsAgain: self = .notSold
            case .awaitingApproval, .noAnswer: self = .undecided
            }
        case .failed(let error): self = ErrorTable.row(for: error).isChargeRuledOut ? .notSold : .undecided
        }
    }
}

/// How a call to ``OneTimePurchaseFlow/restorePurchases()`` ended.
public struct OneTimeRestoreResult: Sendable, Hashable {
    /// The four endings of a restore.
    public enum Outcome: Sendable, Hashable {
        /// The number of purchases that count and are recorded now and were not recorded before.
        case restored(Int)
        /// The customer has purchases that count, and all were recorded before.
        case alreadyRestored
        /// The customer has no purchase that counts, and none is pending. That is not an error.
        case nothingFound
        /// The restore has failed. ``PurchaseError/isRetryable`` says whether the same call can succeed later.
        case failed(PurchaseError)
    }

    /// How the restore ended.
    public let outcome: Outcome
    /// The recorded one-time purchases that count after the restore, the latest first; empty if they cannot be read.
    public let purchases: [Purchase]
    /// A failure for each purchase that was rejected or could not be recorded.
    public let problems: [PurchaseError]

    /// Creates a result.
    public init(outcome: Outcome, purchases: [Purchase] = [], problems: [PurchaseError] = []) {
        self.outcome = outcome
        self.purchases = purchases
        self.problems = problems
    }
}

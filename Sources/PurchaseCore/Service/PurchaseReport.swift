internal import ReceiptTypes

/// How a call to buy a product ended: the answer of every way to buy, and what observers receive.
public struct PurchaseReport: Sendable, Hashable {
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

    /// The id of the product.
    public let productID: String
    /// How the purchase ended.
    public internal(set) var outcome: PurchaseOutcome
    /// Whether the call sold something.
    public internal(set) var sale: Sale
    /// Whether another call has begun the purchase, and this one has joined it.
    public internal(set) var isShared = false
    /// The transaction that the outcome is about; nil if there is none, or the service does not say.
    public let transactionID: String?
    /// The entitlement that a coordinator has made the purchase for.
    public internal(set) var entitlement: Entitlement?
    /// The feature flags as a coordinator has read them for this purchase.
    public internal(set) var flags: FeatureFlags?
    /// The recorded purchase of a flow; nil if there is none, or if it could not be recorded yet.
    public internal(set) var purchase: Purchase?
    /// The reason that a purchase of a flow failed, or that it is not recorded yet; nil for every other ending.
    ///
    /// The second one is no reason to buy again: ``PurchaseError/isRetryable`` is false.
    public internal(set) var error: PurchaseError?
    /// The failure of the store when a flow has loaded the product, as in ``PurchaseProposal/warning``; nil if it has
    /// answered.
    ///
    /// It says that the network was down before the purchase, and is no reason that the purchase has failed.
    public internal(set) var warning: PurchaseError?

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - productID: The id of the product.
    ///   - outcome: How the purchase ended.
    ///   - sale: Whether the call sold something; by default what follows from the outcome.
    ///   - transactionID: The transaction that the outcome is about.
    public init(
        _ productID: String, _ outcome: PurchaseOutcome, sale: Sale? = nil, transactionID: String? = nil
    ) {
        self.productID = productID
        self.outcome = outcome
        self.sale = sale ?? Sale(outcome)
        self.transactionID = transactionID
    }

    /// Creates the report of a service's result.
    init(_ productID: String, result: PurchaseResult, transactionID: String? = nil) {
        self.init(productID, PurchaseResultMapping.outcome(of: result), transactionID: transactionID)
    }

    /// The outcome as a service's result.
    public var result: PurchaseResult { outcome.result }

    /// Whether the customer has the product, with everything that the fulfiller grants for it.
    public var isHandedOver: Bool { outcome == .success || outcome == .alreadyOwned }

    /// Whether a screen may offer to buy again: the call has certainly cost nothing, and another one can succeed.
    ///
    /// ``PurchaseError/isRetryable`` alone does not say so: a store that fails may have sold the product before.
    public var offersRetry: Bool { sale == .notSold && (error?.isRetryable ?? (outcome == .cancelled)) }

    /// The class of the ending among the five documented ones; nil if the purchase did not fail.
    public var flowCode: PurchaseFlowCode? {
        switch outcome {
        case .cancelled: .cancelled
        case .failed: error?.flowCode
        case .success, .alreadyOwned, .pending: nil
        }
    }

    /// The report for a call that has joined the purchase.
    var shared: PurchaseReport {
        var report = self
        report.isShared = true
        return report
    }

    /// Returns the report of a call that has not asked the store to sell.
    static func notAsked(_ productID: String, _ result: PurchaseResult) -> PurchaseReport {
        PurchaseReport(productID, result: result).notAsked
    }

    /// The report as one of a call that has not asked the store to sell.
    ///
    /// A purchase that was pending can be approved; every other call has cost nothing.
    var notAsked: PurchaseReport {
        var report = self
        if outcome != .success, outcome != .pending(.notHandedOver) { report.sale = .notSold }
        return report
    }
}

extension PurchaseReport.Sale {
    /// Creates the answer for a call that has asked the store to sell.
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

/// The switches for features. In flags without arguments, everything is off, so an empty configuration sells nothing.
public struct FeatureFlags: Sendable, Hashable {
    /// Whether products can be bought. Existing purchases and the listener work in either case.
    public var purchasesEnabled: Bool

    /// Creates flags.
    public init(purchasesEnabled: Bool = false) {
        self.purchasesEnabled = purchasesEnabled
    }

    /// All features are on, which is the default of a coordinator that was created without flags.
    public static let allEnabled = FeatureFlags(purchasesEnabled: true)
}

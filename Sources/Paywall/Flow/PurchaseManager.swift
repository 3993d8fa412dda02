public import PurchaseCore
internal import ReceiptTypes

/// The port of a paywall to the code that buys and restores.
///
/// ``OneTimePurchaseManager`` and ``ServicePurchaseManager`` connect it to the purchase core.
public protocol PurchaseManager: Sendable {
    /// Buys a product. A failed purchase is an outcome, not a thrown error.
    ///
    /// - Parameters:
    ///   - productID: The id of the plan.
    ///   - offerID: The letter of the offer that the customer sees; nil on a paywall for a feature, which shows no
    ///     offer.
    func purchase(productID: String, offerID: String?) async -> PurchaseOutcome

    /// Restores the customer's purchases. The paywall calls it only after a tap on its restore button.
    func restore() async -> OneTimeRestoreResult

    /// Returns the purchases that await something outside of the app, such as an approval; nil if that is not known.
    func pendingPurchases() async -> [PendingPurchase]?
}

extension PurchaseManager {
    /// Returns nil, because code that keeps no list of pending purchases does not know them.
    public func pendingPurchases() async -> [PendingPurchase]? { nil }
}

/// Buys and restores through a `OneTimePurchaseFlow`, which confirms, records and limits, also subscriptions.
public struct OneTimePurchaseManager: PurchaseManager {
    private let flow: OneTimePurchaseFlow
    private let options: @Sendable (_ productID: String, _ offerID: String?) -> PurchaseOptions

    /// Creates the connection.
    ///
    /// - Parameters:
    ///   - flow: The flow, started by the app.
    ///   - options: Returns the options of a purchase, such as a promotional offer for the letter of an offer.
    public init(
        _ flow: OneTimePurchaseFlow,
        options: @escaping @Sendable (_ productID: String, _ offerID: String?) -> PurchaseOptions = { _, _ in
            PurchaseOptions()
        }
    ) {
        self.flow = flow
        self.options = options
    }

    /// Buys a product, and records the purchase.
    public func purchase(productID: String, offerID: String?) async -> PurchaseOutcome {
        await flow.purchaseProduct(productID, options: options(productID, offerID)).outcome
    }

    /// Restores and records all purchases.
    public func restore() async -> OneTimeRestoreResult { await flow.restorePurchases() }

    /// Returns the purchases that await an approval.
    public func pendingPurchases() async -> [PendingPurchase]? { await flow.pendingPurchases() }
}

/// Buys through a `PurchaseServicing` and restores through the entitlements, for an app without recorded purchases.
public struct ServicePurchaseManager: PurchaseManager {
    private let service: any PurchaseServicing
    private let entitlements: any EntitlementProviding
    private let options: @Sendable (_ productID: String, _ offerID: String?) -> PurchaseOptions

    /// Creates the connection.
    ///
    /// - Parameters:
    ///   - service: The service that buys.
    ///   - entitlements: The entitlements, which restore.
    ///   - options: Returns the options of a purchase, such as a promotional offer for the letter of an offer.
    public init(
        service: any PurchaseServicing, entitlements: any EntitlementProviding,
        options: @escaping @Sendable (_ productID: String, _ offerID: String?) -> PurchaseOptions = { _, _ in
            PurchaseOptions()
        }
    ) {
        self.service = service
        self.entitlements = entitlements
        self.options = options
    }

    /// Buys a product. The paywall refreshes the entitlements afterwards.
    public func purchase(productID: String, offerID: String?) async -> PurchaseOutcome {
        let result = await service.purchase(productID: productID, options: options(productID, offerID))
        return PurchaseResultMapping.outcome(of: result)
    }

    /// Restores all purchases, and compares what is in force with what was in force before.
    public func restore() async -> OneTimeRestoreResult {
        let before = await grantedTransactions()
        let history: RestoredHistory
        do {
            history = try await entitlements.restore().history
        } catch {
            return OneTimeRestoreResult(outcome: .failed(PurchaseError(error)))
        }
        let after = await grantedTransactions()
        let notRecorded = Array(
            repeating: PurchaseError(JournalError(.notWritten, "a part of the history is not recorded")),
            count: min(max(0, history.notRecorded), 1_000))
        let rejected = history.rejected.map { PurchaseError($0) }
        let count = after.subtracting(before).count
        let outcome: OneTimeRestoreResult.Outcome
        // As for the restore of a purchase flow: something is missing, so "everything" and "nothing" would not be true.
        if count > 0 {
            outcome = .restored(count)
        } else if let error = notRecorded.first {
            outcome = .failed(error)
        } else if !after.isEmpty {
            outcome = .alreadyRestored
        } else if let error = rejected.first {
            outcome = .failed(error)
        } else if await pendingPurchases()?.isEmpty == false {
            outcome = .failed(PurchaseError(VerificationFailure(code: .purchasePending)))
        } else {
            outcome = .nothingFound
        }
        return OneTimeRestoreResult(outcome: outcome, problems: notRecorded + rejected)
    }

    /// Returns the purchases that await an approval.
    public func pendingPurchases() async -> [PendingPurchase]? { try? await service.pendingPurchases() }

    /// The ids of the transactions that grant something.
    @MainActor
    private func grantedTransactions() -> Set<String> {
        Set(entitlements.entitlements.purchases.filter(\.isGranted).map(\.transactionID))
    }
}

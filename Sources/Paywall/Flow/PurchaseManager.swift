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
    ///   - offerID: The letter of the offer that the customer sees.
    func purchase(productID: String, offerID: String) async -> PurchaseOutcome

    /// Restores the customer's purchases. The paywall calls it only after a tap on its restore button.
    func restore() async -> OneTimeRestoreResult.Outcome
}

/// Buys and restores through a `OneTimePurchaseFlow`, which confirms, records and limits, also subscriptions.
public struct OneTimePurchaseManager: PurchaseManager {
    private let flow: OneTimePurchaseFlow
    private let options: @Sendable (_ productID: String, _ offerID: String) -> PurchaseOptions

    /// Creates the connection.
    ///
    /// - Parameters:
    ///   - flow: The flow, started by the app.
    ///   - options: Returns the options of a purchase, such as a promotional offer for the letter of an offer.
    public init(
        _ flow: OneTimePurchaseFlow,
        options: @escaping @Sendable (_ productID: String, _ offerID: String) -> PurchaseOptions = { _, _ in
            PurchaseOptions()
        }
    ) {
        self.flow = flow
        self.options = options
    }

    /// Buys a product, and records the purchase.
    public func purchase(productID: String, offerID: String) async -> PurchaseOutcome {
        await flow.purchaseProduct(productID, options: options(productID, offerID)).outcome
    }

    /// Restores and records all purchases.
    public func restore() async -> OneTimeRestoreResult.Outcome { await flow.restorePurchases().outcome }
}

/// Buys through a `PurchaseServicing` and restores through the entitlements, for an app without recorded purchases.
public struct ServicePurchaseManager: PurchaseManager {
    private let service: any PurchaseServicing
    private let entitlements: any EntitlementProviding
    private let options: @Sendable (_ productID: String, _ offerID: String) -> PurchaseOptions

    /// Creates the connection.
    ///
    /// - Parameters:
    ///   - service: The service that buys.
    ///   - entitlements: The entitlements, which restore.
    ///   - options: Returns the options of a purchase, such as a promotional offer for the letter of an offer.
    public init(
        service: any PurchaseServicing, entitlements: any EntitlementProviding,
        options: @escaping @Sendable (_ productID: String, _ offerID: String) -> PurchaseOptions = { _, _ in
            PurchaseOptions()
        }
    ) {
        self.service = service
        self.entitlements = entitlements
        self.options = options
    }

    /// Buys a product. The paywall refreshes the entitlements afterwards.
    public func purchase(productID: String, offerID: String) async -> PurchaseOutcome {
        let result = await service.purchase(productID: productID, options: options(productID, offerID))
        return PurchaseResultMapping.outcome(of: result)
    }

    /// Restores all purchases, and compares what is in force with what was in force before.
    public func restore() async -> OneTimeRestoreResult.Outcome {
        let before = await grantedTransactions()
        do {
            let result = try await entitlements.restore()
            let after = await grantedTransactions()
            let count = after.subtracting(before).count
            if count > 0 { return .restored(count) }
            if let failure = result.history.rejected.first { return .failed(PurchaseError(failure)) }
            if result.history.notRecorded > 0 {
                return .failed(PurchaseError(JournalError(.notWritten, "a part of the history is not recorded")))
            }
            return after.isEmpty ? .nothingFound : .alreadyRestored
        } catch {
            return .failed(PurchaseError(error))
        }
    }

    /// The ids of the transactions that grant something.
    @MainActor
    private func grantedTransactions() -> Set<String> {
        Set(entitlements.entitlements.purchases.filter(\.isGranted).map(\.transactionID))
    }
}

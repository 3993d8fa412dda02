public import PurchaseCore
internal import ReceiptTypes

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

    /// Restores all purchases, and says whether that has brought back one that was not known before.
    ///
    /// All renewals of a subscription are one purchase.
    public func restore() async -> OneTimeRestoreResult {
        let before = await loadedPurchases()
        let history: RestoredHistory
        do {
            history = try await entitlements.restore().history
        } catch {
            return OneTimeRestoreResult(outcome: .failed(PurchaseError(error)))
        }
        let found = FoundPurchases(history, before: before, after: await entitlements.entitlements.purchases)
        let notRecorded = Array(
            repeating: PurchaseError(LedgerError(.notWritten, "a part of the history is not recorded")),
            count: min(max(0, history.notRecorded), 1_000))
        let undecided = history.rejected.first { $0.isRetryable && $0.mayCountLater }.map { PurchaseError($0) }
        let rejected = history.rejected.map { PurchaseError($0) }
        let outcome: OneTimeRestoreResult.Outcome
        // As for the restore of a purchase flow: something is missing, so "everything" and "nothing" would not be true.
        if found.newCount > 0 {
            outcome = .restored(found.newCount)
        } else if let error = notRecorded.first ?? undecided {
            outcome = .failed(error)
        } else if found.isAnythingInForce {
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

    /// Forgets a purchase that awaits an approval.
    public func forgetPendingPurchase(productID: String) async throws(PurchaseError) {
        do throws(LedgerError) {
            try await service.forgetPendingPurchase(productID: productID)
        } catch {
            throw PurchaseError(error, productID: productID)
        }
    }

    /// What the entitlements know about the customer's purchases; nil if they are not loaded.
    @MainActor
    private func loadedPurchases() -> [PurchaseDetails]? {
        entitlements.freshness == .notLoaded ? nil : entitlements.entitlements.purchases
    }
}

/// The purchases in force that a restore has found; all renewals of a subscription are one.
private struct FoundPurchases {
    /// The number of those that were not known before.
    let newCount: Int
    let isAnythingInForce: Bool

    /// - Parameters:
    ///   - history: What the store remembers.
    ///   - before: What the entitlements knew before; nil if they were not loaded.
    ///   - after: What they know now. A refresh that has failed has added nothing.
    init(_ history: RestoredHistory, before: [PurchaseDetails]?, after: [PurchaseDetails]) {
        let granted = after.filter(\.isGranted)
        guard !history.isEmpty else {
            // An app's own entitlements can restore without a history.
            let known = (before ?? after).filter(\.isGranted).map { ExactString($0.productID) }
            newCount = Set(granted.map { ExactString($0.productID) }).subtracting(known).count
            isAnythingInForce = !granted.isEmpty
            return
        }
        let delivered = Set(history.restored.map { ExactString($0.id) })
        // A service without a ledger calls everything known, and entitlements that are not loaded know nothing.
        let knownIDs = Set((before?.map(\.transactionID) ?? history.known.map(\.id)).map { ExactString($0) })
        let all = history.restored + history.known
        let known = Set(all.filter { knownIDs.contains(ExactString($0.id)) }.map { ExactString($0.originalID) })
        let found = RestoredHistory(restored: all).restoredPurchases.filter { purchase in
            // A consumable that was delivered before may be used up.
            purchase.type == .consumable
                ? !purchase.isRevoked && delivered.contains(ExactString(purchase.id))
                : purchase.isInForce(accordingTo: after)
        }
        newCount = Set(found.map { ExactString($0.originalID) }).subtracting(known).count
        isAnythingInForce = !granted.isEmpty || !found.isEmpty
    }
}

extension Transaction {
    /// Returns whether a purchase of a history is in force according to the entitlements, or to the store if they are
    /// older than the purchase.
    fileprivate func isInForce(accordingTo purchases: [PurchaseDetails]) -> Bool {
        let known = purchases.filter { $0.productID.isIdentical(to: productID) && $0.purchaseDate >= purchaseDate }
        guard known.isEmpty else { return known.contains { $0.isGranted && $0.transactionID.isIdentical(to: id) } }
        if isRevoked || isUpgraded { return false }
        // The store has just signed it.
        return expiresDate.map { $0 > signedDate } ?? true
    }
}

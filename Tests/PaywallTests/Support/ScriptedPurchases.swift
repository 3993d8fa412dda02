import Paywall
import PurchaseCore
import ReceiptTypes

/// A purchase manager with scripted answers.
@MainActor
final class ScriptedPurchaseManager: PurchaseManager {
    struct Purchase: Equatable {
        let productID: String
        let offerID: String?
    }

    var outcome = PurchaseOutcome.success
    var restoreOutcome = OneTimeRestoreResult.Outcome.nothingFound
    var restoreProblems: [PurchaseError] = []
    /// The products whose purchase awaits an approval; nil if the manager does not know.
    var pendingProductIDs: [String]?
    var gate = FlowGate(isOpen: true)
    /// Holds the list of the purchases that await an approval back.
    var pendingGate = FlowGate(isOpen: true)
    /// Runs before an answer, for example to unlock something.
    var beforeAnswer: (@MainActor () -> Void)?
    private(set) var purchases: [Purchase] = []
    private(set) var restoreCount = 0

    @MainActor func purchase(productID: String, offerID: String?) async -> PurchaseOutcome {
        purchases.append(Purchase(productID: productID, offerID: offerID))
        await gate.pass()
        beforeAnswer?()
        return outcome
    }

    @MainActor func pendingPurchases() async -> [PendingPurchase]? {
        await pendingGate.pass()
        return pendingProductIDs?.map { PendingPurchase(productID: $0, since: SetClock.start) }
    }

    /// The reason that a pending purchase cannot be forgotten.
    var forgetFailure: PurchaseError?
    private(set) var forgotten: [String] = []

    @MainActor func forgetPendingPurchase(productID: String) async throws(PurchaseError) {
        await gate.pass()
        if let forgetFailure { throw forgetFailure }
        forgotten.append(productID)
        pendingProductIDs?.removeAll { $0 == productID }
    }

    @MainActor func restore() async -> OneTimeRestoreResult {
        restoreCount += 1
        await gate.pass()
        beforeAnswer?()
        return OneTimeRestoreResult(outcome: restoreOutcome, problems: restoreProblems)
    }
}

/// Analytics that records every event.
@MainActor
final class RecordedAnalytics: PaywallAnalytics {
    private(set) var events: [PaywallEvent] = []
    /// The ids of the events that have one.
    private(set) var ids: [AnalyticsEvent.ID] = []
    /// Whether events are stored.
    var isStored = true
    var names: [String] { events.map(\.name.rawValue) }
    func track(_ event: PaywallEvent) { events.append(event) }

    func track(_ event: PaywallEvent, id: AnalyticsEvent.ID) {
        ids.append(id)
        track(event)
    }

    func flush() async -> Bool { isStored }
}

/// Entitlements that change only with a refresh, which a test can hold back, and tell no observer.
@MainActor
final class GatedEntitlements: EntitlementProviding {
    private(set) var entitlements = Entitlements.empty
    let freshness = EntitlementFreshness.current
    let userChanges = 0
    /// What the next refresh brings; nil for no change.
    var next: Entitlements?
    var gate = FlowGate(isOpen: true)

    func refresh() async {
        await gate.pass()
        entitlements = next ?? entitlements
    }

    func updates() -> AsyncStream<Entitlements> { AsyncStream { $0.finish() } }
    func freshnessUpdates() -> AsyncStream<EntitlementFreshness> { AsyncStream { $0.finish() } }
}

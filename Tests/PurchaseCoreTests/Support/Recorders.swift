import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// Counts refreshes.
@MainActor
final class RefreshCounter: EntitlementRefreshing {
    private(set) var count = 0
    private(set) var wasOnMainActor = true
    nonisolated init() {}

    func refresh() async {
        MainActor.assertIsolated()
        count += 1
    }
}

/// Keeps notes.
final class NoteKeeper: PurchaseLog {
    private let kept = Locked<[PurchaseLogEvent]>([])
    var events: [PurchaseLogEvent] { kept.withLock { $0 } }
    var kinds: [PurchaseLogEvent.Kind] { events.map(\.kind) }
    func note(_ event: PurchaseLogEvent) { kept.withLock { $0.append(event) } }
}

/// Keeps reports.
final class ReportKeeper: PurchaseOutcomeObserving {
    private let kept = Locked<[PurchaseReport]>([])
    var reports: [PurchaseReport] { kept.withLock { $0 } }
    func purchaseEnded(_ report: PurchaseReport) { kept.withLock { $0.append(report) } }
}

/// An app's wallet: carries each order out once, and can be out of reach.
actor Wallet: PurchaseFulfilling {
    struct Unreachable: Error {}

    private(set) var orders: [FulfilmentOrder] = []
    private var done: [PurchaseKey: Fulfilment] = [:]
    private(set) var balance = 0
    var isReachable = true

    func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

    func fulfil(_ order: FulfilmentOrder) async throws {
        guard isReachable else { throw Unreachable() }
        orders.append(order)
        guard done[order.key] != order.fulfilment else { return }
        done[order.key] = order.fulfilment
        guard order.transaction.type == .consumable else { return }
        balance += order.fulfilment == .granted ? order.transaction.quantity : -order.transaction.quantity
    }
}

import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// Counts refreshes.
@MainActor
final class RefreshCounter: EntitlementRefreshing {
    private(set) var count = 0
    nonisolated init() {}

    func refresh() async {
        MainActor.assertIsolated()
        count += 1
    }
}

/// Records what a listener's handler receives.
actor ListenerRecorder {
    private(set) var results: [VerificationResult<Transaction>] = []
    func record(_ result: VerificationResult<Transaction>) { results.append(result) }
}

/// Records log events and the times of stages.
final class LogRecorder: PurchaseLog {
    private let recorded = Locked<(events: [PurchaseLogEvent], timings: [StageTiming])>(([], []))
    var events: [PurchaseLogEvent] { recorded.withLock { $0.events } }
    var kinds: [PurchaseLogEvent.Kind] { events.map(\.kind) }
    var timings: [StageTiming] { recorded.withLock { $0.timings } }
    func log(_ event: PurchaseLogEvent) { recorded.withLock { $0.events.append(event) } }
    func log(_ timing: StageTiming) { recorded.withLock { $0.timings.append(timing) } }
}

/// Records purchase reports.
final class OutcomeRecorder: PurchaseOutcomeObserving {
    private let recorded = Locked<[PurchaseReport]>([])
    var reports: [PurchaseReport] { recorded.withLock { $0 } }
    func purchaseEnded(_ report: PurchaseReport) { recorded.withLock { $0.append(report) } }
}

/// Records orders and keeps a balance of consumables: each order sets the number of items of its purchase.
actor FulfilmentRecorder: PurchaseFulfilling {
    struct Unreachable: Error {}

    private(set) var orders: [FulfilmentOrder] = []
    private var credited: [PurchaseKey: Int] = [:]
    private(set) var balance = 0
    var isReachable = true

    func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

    func fulfil(_ order: FulfilmentOrder) async throws {
        guard isReachable else { throw Unreachable() }
        orders.append(order)
        guard order.transaction.type == .consumable else { return }
        balance += order.quantity - (credited.updateValue(order.quantity, forKey: order.key) ?? 0)
    }
}

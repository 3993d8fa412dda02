import PurchaseCore
import ReceiptTypes

/// The fulfiller of one process: its calls can hang or fail, and it finds the orders that the process must not repeat.
final class SoakFulfiller: PurchaseFulfilling {
    private let base: CrashingFulfiller
    private let device: SoakDevice
    private let log: SoakLog
    private let reentry: Reentry
    /// The number of failures of the ledger that the process knew of after the last order for each purchase.
    private let failures = Locked<[PurchaseKey: Int]>([:])

    init(_ base: CrashingFulfiller, _ device: SoakDevice, log: SoakLog, reentry: Reentry) {
        self.base = base
        self.device = device
        self.log = log
        self.reentry = reentry
    }

    func fulfil(_ order: FulfilmentOrder) async throws {
        await reentry.call()
        try await device.disturbances.call(.fulfil, orThrow: FulfilmentRecorder.Unreachable() as any Error) {
            () async throws -> Void in
            let wasRecorded = try await isRecorded(order)
            try await base.fulfil(order)
            note(order, wasRecorded: wasRecorded)
        }
    }

    /// Returns whether the ledger has recorded that an order was carried out, for the only version of the purchase.
    ///
    /// With another version, such as a refund, a service repeats a recorded order if another one may have carried out
    /// a different order since.
    private func isRecorded(_ order: FulfilmentOrder) async throws -> Bool {
        let amount: FulfilledAmount =
            order.fulfilment == .granted
            ? .granted(productID: order.transaction.productID, quantity: order.quantity) : .revoked
        guard try await device.ledger.fulfilment(of: order.key) == amount else { return false }
        return try await device.ledger.recordedEntries(of: order.key).count == 1
    }

    /// Notes an order that was carried out, and whether the ledger had recorded it before.
    ///
    /// Only two such orders are right. A process whose record of the first order seemed to fail, although it was
    /// written, repeats the order after another failure of the ledger. And a process can have read the ledger before
    /// another one took over its claim and recorded the order.
    private func note(_ order: FulfilmentOrder, wasRecorded: Bool) {
        let count = log.ledgerFailureCount
        let earlier = failures.withLock { $0.updateValue(count, forKey: order.key) }
        let isWrong = earlier.map { $0 == count } ?? !device.hasTwoProcesses
        guard wasRecorded, isWrong else { return }
        device.repeatedOrders.withLock {
            $0.append("\(order.key) was \(order.fulfilment) again, although the ledger had recorded it")
        }
    }
}

/// The log of one process, which counts the failures of the ledger.
final class SoakLog: PurchaseLog {
    private let reentry: Reentry
    private let failures = Locked(0)

    init(reentry: Reentry) {
        self.reentry = reentry
    }

    var ledgerFailureCount: Int { failures.withLock { $0 } }

    func log(_ event: PurchaseLogEvent) {
        if event.kind == .ledgerFailed { failures.withLock { $0 += 1 } }
        reentry.start()
    }
}

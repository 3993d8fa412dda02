internal import ReceiptTypes

extension PurchaseService {
    /// The time, in milliseconds, after which a pending purchase counts as declined: one day.
    public static let approvalTimeoutMilliseconds: Int64 = PendingPurchase.approvalMilliseconds

    /// Returns the purchases that await something outside of the app, such as an approval.
    ///
    /// A store never reports that a purchase was declined; it is left out after ``approvalTimeoutMilliseconds``. Until
    /// then ``purchase(productID:options:)`` does not order the product again.
    public func pendingPurchases() async throws(LedgerError) -> [PendingPurchase] {
        var memory = try await ledger.memory()
        let now = memory.clock.time(byClock: environment.clock(), isStoreReachable: true)
        if memory.pending.contains(where: { $0.since > now }) {
            // It was noted while the clock was ahead; its day begins again.
            memory = try await ledger.updateMemory { memory in
                memory.pending = memory.pending.map { $0.notLater(than: now) }
            }
        }
        return memory.pending.filter { now < $0.end && user.maySee($0.account) }
    }

    /// Forgets a pending purchase, so that the product can be ordered again.
    ///
    /// Call it when the customer says that the purchase was declined or given up. If it is approved all the same, the
    /// customer has bought the product, and a second order is a second purchase.
    public func forgetPendingPurchase(productID: String) async throws(LedgerError) {
        _ = try await ledger.updateMemory { [user] memory in
            memory.pending.removeAll { $0.productID.isIdentical(to: productID) && user.maySee($0.account) }
        }
    }

    /// Notes that a purchase is pending from now on.
    func recordPendingPurchase(_ productID: String, of account: UUIDText?) async {
        let now = environment.clock()
        await updateMemory { $0.recordPending(productID, of: account, token: nil, byClock: now) }
    }

    func removePendingPurchase(_ productID: String, of account: UUIDText?) async {
        await updateMemory { $0.removePending(productID, of: account) }
    }

    /// Returns the time of the clock, but never one before the latest signature of the store; the device's time if the
    /// ledger cannot be read.
    ///
    /// The device mark does not bind here: it decides only about entitlements while the store cannot be reached.
    func currentTime() async -> Timestamp {
        let now = environment.clock()
        guard let memory = await memoryOrLog() else { return now }
        return memory.clock.time(byClock: now, isStoreReachable: true)
    }

    /// Returns the ledger's memory; nil if it cannot be read, which is logged.
    func memoryOrLog() async -> LedgerMemory? {
        await logFailure { [ledger] () throws(LedgerError) in try await ledger.memory() }
    }

    /// Applies a change to the ledger's memory, and returns the memory with the change.
    ///
    /// A failure is only logged, and nil returned: the next change or delivery makes up for it.
    @discardableResult
    func updateMemory(_ change: @escaping @Sendable (inout LedgerMemory) -> Void) async -> LedgerMemory? {
        await logFailure { [ledger] () throws(LedgerError) in try await ledger.updateMemory(change) }
    }
}

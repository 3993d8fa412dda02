internal import ReceiptTypes

extension PurchaseService {
    /// Waits for the running attempts to hand a purchase over, and returns whether nothing is left to do.
    ///
    /// A caller that is part of the purchase's own fulfilment does not wait for itself.
    ///
    /// - Parameter isBuyer: Whether the customer that has just bought waits, so that an attempt also waits for another
    ///   service that hands the purchase over.
    @discardableResult
    func isHandedOver(_ key: PurchaseKey, isBuyer: Bool = false) async -> Bool {
        lastWaiter += 1
        let waiter = lastWaiter
        return await withCheckedContinuation { begin(waiter, for: .attempts(key, isBuyer: isBuyer), $0) }
    }

    /// Waits until a purchase that was ``PendingReason/notHandedOver`` is handed over.
    ///
    /// It waits for the last purchase of the product that was ``PendingReason/notHandedOver`` in this run, or else for
    /// all purchases of the product. It returns at once if the calling task is cancelled, and in a fulfiller for whose
    /// own order the purchase waits; the service keeps trying.
    ///
    /// - Returns: Whether the customer has the purchase; false if it was refunded or rejected, if the ledger fails, or
    ///   if it has returned before the end.
    public func waitUntilHandedOver(productID: String) async -> Bool {
        await waitUntilHandedOver(productID, handOvers.reportedPurchase(of: productID))
    }

    /// Waits until a purchase is handed over, as ``waitUntilHandedOver(productID:)`` does; another purchase of the
    /// product that is reported meanwhile changes nothing.
    public func waitUntilHandedOver(productID: String, transactionID: String) async -> Bool {
        guard let reported = handOvers.reportedPurchase(transactionID: transactionID) else { return false }
        return await waitUntilHandedOver(productID, reported)
    }

    private func waitUntilHandedOver(_ productID: String, _ awaited: PurchaseKey?) async -> Bool {
        lastWaiter += 1
        let waiter = lastWaiter
        let isEnded = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else {
                    begin(waiter, for: .purchases(ExactString(productID), awaited), continuation)
                }
            }
        } onCancel: {
            Task { await self.stopWaiting(waiter) }
        }
        guard isEnded else { return false }
        let transactions =
            await logFailure(productID) { () throws(LedgerError) in try await recordedTransactions() } ?? []
        let purchases = transactions.latestVersions().filter { !$0.isRevoked }
        if let awaited { return purchases.contains { $0.purchaseKey == awaited } }
        return purchases.contains { $0.productID.isIdentical(to: productID) }
    }

    private func begin(
        _ waiter: Int, for target: HandOvers.Target, _ continuation: CheckedContinuation<Bool, Never>
    ) {
        waiters[waiter] = continuation
        handle(.waits(waiter, for: target, within: HandOverScope.key))
    }

    private func stopWaiting(_ waiter: Int) {
        guard let continuation = waiters.removeValue(forKey: waiter) else { return }
        handle(.stopsWaiting(waiter))
        continuation.resume(returning: false)
    }

    // MARK: Suspending

    /// Begins no retry until ``resume()``, and returns when nothing is processed or handed over any more.
    ///
    /// It waits as long as an order and a query may take, at most: a handler or a fulfiller that takes longer goes on.
    /// A caller that is part of a hand-over does not wait for that one. A purchase that the customer makes goes on, and
    /// calls of the service work as before.
    ///
    /// - Parameter work: Other work to wait for first.
    package func suspend(after work: @escaping @Sendable () async -> Void = {}) async {
        handle(.suspended)
        _ = await environment.timer.answer(within: deadlines.handOverMilliseconds) {
            await work()
            await self.finishWork()
        }
    }

    /// Repeats at once what waits for another attempt, and goes on with retries; does nothing unless it is suspended.
    package func resume() { handle(.resumed) }

    private func finishWork() async {
        // Each delivery removes itself, and may have started others.
        while let delivery = deliveries.values.first { await delivery.value }
        for key in handOvers.runningPurchases { await isHandedOver(key) }
    }

    // MARK: Deadlines

    /// Returns the value of work that asks the store, or nil after the deadline; the work goes on then.
    ///
    /// - Parameter late: Receives the value if it comes after the deadline.
    func answer<Value: Sendable>(
        within milliseconds: Int64, to work: @escaping @Sendable () async -> Value,
        late: @escaping @Sendable (Value) async -> Void = { _ in }
    ) async -> Value? {
        // It begins before the work.
        let deadline = environment.timer.start(milliseconds: milliseconds)
        defer { deadline.cancel() }
        return await lateAnswers.value(of: work, before: deadline, late: late)
    }

    /// Runs calls whose questions to the store share the deadline of one query.
    func sharingDeadline<Value>(_ calls: () async -> Value) async -> Value {
        let deadline = environment.timer.start(milliseconds: deadlines.queryMilliseconds)
        defer { deadline.cancel() }
        return await QuestionLimit.$current.withValue(.shared(deadline)) { await calls() }
    }
}

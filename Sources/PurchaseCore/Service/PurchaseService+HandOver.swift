internal import ReceiptTypes

/// The deliveries of one purchase that wait to be handed over, one after the other.
struct HandOver: Sendable {
    let productID: String
    var requests: [HandOverRequest]
    let task: Task<Void, Never>
}

/// A recorded delivery that is not handed over yet.
struct HandOverRequest: Sendable {
    let delivery: SignedTransaction
    let transaction: Transaction
    let source: DeliverySource
    /// Whether the store lists the transaction as unfinished although it was finished: it has missed the call.
    let isListedAgain: Bool
}

/// An order that the fulfiller has not answered.
struct RunningOrder: Sendable {
    let call: Task<Void, any Error>
    let task: Task<Result<Bool, JournalError>, Never>
}

/// A delivery that was not recorded or not handed over and is processed again.
struct Retry: Sendable {
    let number: Int
    var delivery: SignedTransaction
    var source: DeliverySource
    /// The user that made the purchase, if the delivery is the answer to one.
    let buyer: AppUser?
    /// The transaction, if the delivery is recorded.
    let transaction: Transaction?
    let failures: Int
    let wait: Task<Void, Never>

    /// Returns whether the retry is of a transaction with these facts, in any signed version.
    func isOf(_ other: Transaction) -> Bool {
        transaction.map { $0.purchaseKey == other.purchaseKey && $0.facts.isIdentical(to: other.facts) } ?? false
    }

    /// The milliseconds before the next attempt: five seconds, doubled after each failure, at most two minutes.
    static func pause(after failures: Int) -> Int64 { min(5_000 << Int64(min(max(failures - 1, 0), 8)), 120_000) }
}

/// The purchases whose hand-over the current task is part of, for example because the fulfiller has called the service.
enum HandOverScope {
    @TaskLocal static var keys: Set<PurchaseKey> = []
}

// MARK: - Grant and finish

extension PurchaseService {
    /// The least time, in milliseconds, for which a service alone may hand a purchase over: one minute. A longer
    /// ``PurchaseDeadlines/fulfilment`` extends it.
    ///
    /// If a service is killed in between, another one, or the next launch, can repeat the order after this time.
    public static let claimDurationMilliseconds: Int64 = 60_000

    /// Starts to hand a recorded delivery over: first the fulfiller grants the purchase, then the store finishes it.
    ///
    /// The caller does not wait, because it can be part of the fulfiller. Two transaction ids can identify one purchase, so
    /// deliveries of one purchase are handed over one after the other.
    func startHandOver(_ request: HandOverRequest) {
        let key = request.transaction.purchaseKey
        guard var handOver = handOvers[key] else {
            let keys = HandOverScope.keys.union([key])
            let task = Task { await HandOverScope.$keys.withValue(keys) { await self.handOverAll(key) } }
            handOvers[key] = HandOver(productID: request.transaction.productID, requests: [request], task: task)
            return
        }
        let jws = ExactString(request.delivery.jws)
        if let index = handOver.requests.firstIndex(where: { ExactString($0.delivery.jws) == jws }) {
            // Of two requests for one delivery, the one that also finishes is kept.
            if !handOver.requests[index].source.awaitsFinish || request.isListedAgain {
                handOver.requests[index] = request
            }
        } else {
            handOver.requests.append(request)
        }
        handOvers[key] = handOver
    }

    private func handOverAll(_ key: PurchaseKey) async {
        while let request = handOvers[key]?.requests.first {
            handOvers[key]?.requests.removeFirst()
            if await handOver(request, key) {
                await endRetry(of: request.delivery, isHandedOver: true)
            } else {
                retryLater(request.delivery, from: request.source, by: nil, request.transaction)
            }
        }
        guard let ended = handOvers.removeValue(forKey: key) else { return }
        await tellObservers(of: ended.productID)
    }

    private func handOver(_ request: HandOverRequest, _ key: PurchaseKey) async -> Bool {
        let delivery = request.delivery
        do throws(JournalError) {
            // Read again, because an earlier request can have done the work.
            let entry = try await keptEntry(of: request.transaction, jws: delivery.jws, key)
            let jws = entry.transaction.jws
            if entry.stage < .granted {
                guard try await fulfil(request.transaction, jws: jws, key) else { return false }
            }
            guard request.source.awaitsFinish, entry.stage < .finished || request.isListedAgain else { return true }
            return try await finish(request.transaction, jws: jws, key)
        } catch {
            logEvent(
                .journalFailed, delivery.productID, transactionID: delivery.transactionID, detail: error.description)
            return false
        }
    }

    /// Returns the recorded entry with a JWS; if it was merged since, the one that has the facts of the transaction now.
    private func keptEntry(
        of transaction: Transaction, jws: String, _ key: PurchaseKey
    ) async throws(JournalError) -> JournalEntry {
        let entries = try await journal.recordedEntries(of: key)
        if let entry = entries.first(where: { $0.transaction.jws.isIdentical(to: jws) }) { return entry }
        for entry in entries {
            let version = await verify(entry.transaction).verifiedPayload
            if version?.facts.isIdentical(to: transaction.facts) == true { return entry }
        }
        throw JournalError(.outOfOrder, "the entry to hand over is missing")
    }

    /// Changes an entry; if another delivery or service has merged it in between, the entry that has its facts now.
    private func changeEntry(
        of transaction: Transaction, jws: String, _ key: PurchaseKey,
        _ change: (_ jws: String) async throws(JournalError) -> Void
    ) async throws(JournalError) {
        do throws(JournalError) {
            try await change(jws)
        } catch {
            guard error.code == .outOfOrder else { throw error }
            let kept = try await keptEntry(of: transaction, jws: jws, key).transaction.jws
            guard !kept.isIdentical(to: jws) else { throw error }
            try await change(kept)
        }
    }

    private func markGranted(
        _ transaction: Transaction, jws: String, _ fulfilment: Fulfilment, of key: PurchaseKey
    ) async throws(JournalError) {
        try await changeEntry(of: transaction, jws: jws, key) { [journal] jws throws(JournalError) in
            try await journal.markGranted(jws: jws, fulfilment, of: key)
        }
    }

    /// Lets the fulfiller grant the purchase once, or revoke it, considering all recorded versions; returns false if it fails.
    private func fulfil(
        _ transaction: Transaction, jws: String, _ key: PurchaseKey
    ) async throws(JournalError) -> Bool {
        // An order that has passed its deadline can still succeed; a second one at the same time could grant twice.
        if let running = orders[key] {
            guard try await isCompleted(running, transaction) else { return false }
        }
        var order = try await requiredOrder(for: transaction, key)
        if try await isDue(order) {
            guard let claim = try await claim(transaction, key) else { return false }
            do throws(JournalError) {
                // Read again: another service can have handed the purchase over before the claim was made.
                order = try await requiredOrder(for: transaction, key)
                if try await isDue(order) {
                    let running = startOrder(order, for: transaction, jws: jws, claim)
                    return try await isCompleted(running, order.transaction)
                }
            } catch {
                // After an order, its completion has released the claim; a second release does nothing.
                await release(claim, of: transaction)
                throw error
            }
        }
        try await markGranted(transaction, jws: jws, order.fulfilment, of: key)
        return true
    }

    /// Claims a purchase for this service; returns nil if another one is handing it over.
    private func claim(
        _ transaction: Transaction, _ key: PurchaseKey
    ) async throws(JournalError) -> FulfilmentClaim? {
        let now = clock()
        let end = now.adding(milliseconds: max(Self.claimDurationMilliseconds, deadlines.fulfilmentMilliseconds))
        if let claim = try await journal.claimFulfilment(of: key, from: now, until: end) { return claim }
        logEvent(
            .notFulfilled, transaction.productID, transactionID: transaction.id,
            detail: "another service is handing the purchase over")
        return nil
    }

    /// Releases a claim. One that cannot be released ends by itself, and until then other services leave the purchase alone.
    private func release(_ claim: FulfilmentClaim, of transaction: Transaction) async {
        await logFailure(transaction.productID, transactionID: transaction.id) { [journal] () throws(JournalError) in
            try await journal.release(claim)
        }
    }

    /// Returns the order that follows from all recorded versions of a purchase.
    private func requiredOrder(
        for transaction: Transaction, _ key: PurchaseKey
    ) async throws(JournalError) -> FulfilmentOrder {
        var latest = transaction
        var owner: UUIDText?
        for entry in try await journal.recordedEntries(of: key) {
            owner = owner ?? entry.account
            guard let version = await verify(entry.transaction).verifiedPayload else { continue }
            if version.isLater(than: latest) { latest = version }
        }
        return FulfilmentOrder(
            fulfilment: latest.isRevoked ? .revoked : .granted, transaction: latest, key: key, account: owner)
    }

    /// Returns whether an order is not carried out yet. A purchase that was never granted is not revoked.
    private func isDue(_ order: FulfilmentOrder) async throws(JournalError) -> Bool {
        let done = try await journal.fulfilment(of: order.key)
        guard done == order.fulfilment else { return done != nil || order.fulfilment == .granted }
        guard order.transaction.kind == .consumable, done == .granted else { return false }
        return try await grantedQuantity(of: order.key).map { $0 != order.quantity } ?? false
    }

    /// Returns the number of items that the last order for a consumable has granted; nil if no version is granted.
    private func grantedQuantity(of key: PurchaseKey) async throws(JournalError) -> Int? {
        var versions: [Transaction] = []
        for entry in try await journal.recordedEntries(of: key) where entry.stage >= .granted {
            if let version = await verify(entry.transaction).verifiedPayload { versions.append(version) }
        }
        return versions.latestVersions().first?.remainingQuantity
    }

    private func isCompleted(_ order: RunningOrder, _ transaction: Transaction) async throws(JournalError) -> Bool {
        guard let result = await timer.answer(within: deadlines.fulfilmentMilliseconds, to: { await order.task.value })
        else {
            // The fulfiller can end early now. The order stays until it does.
            order.call.cancel()
            logEvent(
                .notFulfilled, transaction.productID, transactionID: transaction.id,
                detail: "no answer within \(deadlines.fulfilmentMilliseconds) ms")
            return false
        }
        return try result.get()
    }

    private func startOrder(
        _ order: FulfilmentOrder, for transaction: Transaction, jws: String, _ claim: FulfilmentClaim
    ) -> RunningOrder {
        let call = Task { [fulfiller] in try await fulfiller.fulfil(order) }
        let task = Task { () -> Result<Bool, JournalError> in
            let result = await self.complete(order, call, for: transaction, jws: jws)
            if case .success(true) = result {} else { await self.release(claim, of: transaction) }
            self.orders[order.key] = nil
            return result
        }
        let running = RunningOrder(call: call, task: task)
        orders[order.key] = running
        return running
    }

    private func complete(
        _ order: FulfilmentOrder, _ call: Task<Void, any Error>, for transaction: Transaction, jws: String
    ) async -> Result<Bool, JournalError> {
        do {
            try await call.value
        } catch {
            logEvent(
                .notFulfilled, order.transaction.productID, transactionID: order.transaction.id, detail: "\(error)")
            return .success(false)
        }
        do throws(JournalError) {
            try await markGranted(transaction, jws: jws, order.fulfilment, of: order.key)
            return .success(true)
        } catch {
            return .failure(error)
        }
    }

    private func finish(
        _ transaction: Transaction, jws: String, _ key: PurchaseKey
    ) async throws(JournalError) -> Bool {
        do throws(StoreError) {
            try await store.finish(transactionID: transaction.id)
        } catch {
            logEvent(.notFinished, transaction.productID, transactionID: transaction.id, detail: error.description)
            return false
        }
        try await changeEntry(of: transaction, jws: jws, key) { [journal] jws throws(JournalError) in
            try await journal.markFinished(jws: jws)
        }
        return true
    }
}

// MARK: - Waiting

extension PurchaseService {
    /// Waits for the running attempts to hand a purchase over, and returns whether nothing is left to do.
    ///
    /// A caller that is part of the purchase's own fulfilment does not wait for itself.
    @discardableResult
    func isHandedOver(_ key: PurchaseKey) async -> Bool {
        while let handOver = handOvers[key] {
            if HandOverScope.keys.contains(key) { return false }
            await handOver.task.value
        }
        return !retries.values.contains { $0.transaction?.purchaseKey == key }
    }

    /// Waits until a purchase that was ``PendingReason/notHandedOver`` is handed over.
    ///
    /// - Returns: Whether the customer has the purchase; false if it was refunded or rejected, or if the journal fails.
    public func waitUntilHandedOver(productID: String) async -> Bool {
        while isHandingOver(productID) {
            let product = ExactString(productID)
            let observer = handOverObservers[product] ?? FirstAnswer()
            handOverObservers[product] = observer
            await observer.value()
        }
        let transactions =
            await logFailure(productID) { () throws(JournalError) in try await recordedTransactions() } ?? []
        return transactions.latestVersions().contains { $0.productID.isIdentical(to: productID) && !$0.isRevoked }
    }

    private func tellObservers(of productID: String) async {
        await handOverObservers.removeValue(forKey: ExactString(productID))?.give(())
    }

    private func isHandingOver(_ productID: String) -> Bool {
        handOvers.values.contains { $0.productID.isIdentical(to: productID) }
            || retries.values.contains { $0.delivery.productID.isIdentical(to: productID) }
    }
}

// MARK: - Retrying

extension PurchaseService {
    /// Processes a delivery again after a pause, which grows with each failure. The process keeps trying while it runs.
    func retryLater(
        _ delivery: SignedTransaction, from source: DeliverySource, by buyer: AppUser?, _ transaction: Transaction?
    ) {
        let jws = ExactString(delivery.jws)
        let earlier = retries[jws]
        earlier?.wait.cancel()
        let failures = (earlier?.failures ?? 0) + 1
        lastRetry += 1
        let number = lastRetry
        let wait = timer.start(milliseconds: Retry.pause(after: failures))
        let known = earlier.map { $0.source.awaitsFinish ? $0.source : source } ?? source
        retries[jws] = Retry(
            number: number, delivery: delivery, source: known, buyer: buyer ?? earlier?.buyer,
            transaction: transaction ?? earlier?.transaction, failures: failures, wait: wait)
        // Detached, because the retry is not part of the hand-over that has failed.
        Task.detached { [weak self] in
            await wait.value
            await self?.retry(number)
        }
    }

    /// Keeps one retry for the entry that has merged several signatures of the same facts, under the JWS of that entry.
    func moveRetries(of delivery: SignedTransaction, to kept: SignedTransaction, _ transaction: Transaction) {
        let jws = ExactString(kept.jws)
        for (other, var retry) in retries where other != jws {
            guard other == ExactString(delivery.jws) || retry.isOf(transaction) else { continue }
            retries[other] = nil
            if let known = retries[jws] {
                retry.wait.cancel()
                if !known.source.awaitsFinish { retries[jws]?.source = retry.source }
            } else {
                retry.delivery = kept
                retries[jws] = retry
            }
        }
    }

    private func retry(_ number: Int) async {
        // A later attempt has replaced this one.
        guard let retry = retries.values.first(where: { $0.number == number }) else { return }
        let outcome = await ingest(retry.delivery, from: retry.source, by: retry.buyer)
        switch outcome {
        case .recorded, .notRecorded: break
        case .unverified, .conflict: await endRetry(of: retry.delivery, isHandedOver: false)
        }
        notifyHandlers(of: outcome)
    }

    /// Forgets the retry of a delivery that needs no other attempt.
    func endRetry(of delivery: SignedTransaction, isHandedOver: Bool) async {
        guard let retry = retries.removeValue(forKey: ExactString(delivery.jws)) else { return }
        retry.wait.cancel()
        if isHandedOver {
            logEvent(
                .handedOver, delivery.productID, transactionID: delivery.transactionID,
                detail: "failed attempts: \(retry.failures)")
        }
        await tellObservers(of: delivery.productID)
    }
}

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
    var source: DeliverySource
    /// Whether the store lists the transaction as unfinished although it was finished: it has missed the call.
    let isListedAgain: Bool
}

/// An order that the fulfiller has not answered.
struct RunningOrder: Sendable {
    let call: Task<Void, any Error>
    let task: Task<Result<Bool, JournalError>, Never>
}

/// An order that the fulfiller has carried out and the journal has not recorded.
struct CarriedOutOrder: Sendable {
    let fulfilment: Fulfilment
    /// The claim under which the order was carried out. It is kept, so that no other service repeats the order.
    var claim: FulfilmentClaim
    /// Whether another service has recorded a different fulfilment meanwhile, so that either can have been the last.
    var isContested = false
}

/// The identity of a retry: a delivery that is not recorded, or a recorded state of a transaction.
///
/// A store signs a transaction again whenever it delivers it, so the JWS does not identify a retry.
struct RetryKey: Sendable, Hashable {
    private let transactionID: ExactString
    /// Nil for a delivery that is not recorded.
    private let facts: ExactString?

    init(_ delivery: SignedTransaction) {
        transactionID = ExactString(delivery.transactionID)
        facts = nil
    }

    init(_ transaction: Transaction) {
        transactionID = ExactString(transaction.id)
        facts = ExactString(transaction.facts)
    }
}

/// A delivery that was not verified, not recorded or not handed over and is processed again.
struct Retry: Sendable {
    let number: Int
    var delivery: SignedTransaction
    var source: DeliverySource
    /// The user that made the purchase, if the delivery is the answer to one.
    let buyer: AppUser?
    /// The transaction, if the delivery is recorded.
    var transaction: Transaction?
    let failures: Int
    let wait: Task<Void, Never>

    /// The milliseconds before the next attempt: five seconds, doubled after each failure, at most two minutes.
    static func pause(after failures: Int) -> Int64 { min(5_000 << Int64(min(max(failures - 1, 0), 8)), 120_000) }
}

/// The purchase whose hand-over the current task is part of, for example because the fulfiller has called the service.
enum HandOverScope {
    @TaskLocal static var key: PurchaseKey?
}

// MARK: - Grant and finish

extension PurchaseService {
    /// The time, in milliseconds, for which a claim lets one service alone hand a purchase over: one minute. The service
    /// renews the claim while the fulfiller carries out the order, however long that takes.
    ///
    /// If a service is killed in between, another one, or the next launch, can repeat the order after this time.
    public static let claimDurationMilliseconds: Int64 = 60_000
    /// The milliseconds between two renewals of a claim; three of them can fail before the claim ends.
    private static let claimRenewalMilliseconds = claimDurationMilliseconds / 4

    /// Starts to hand a recorded delivery over: first the fulfiller grants the purchase, then the store finishes it.
    ///
    /// The caller does not wait, because it can be part of the fulfiller. Two transaction ids can identify one purchase, so
    /// deliveries of one purchase are handed over one after the other.
    func startHandOver(_ request: HandOverRequest) {
        let key = request.transaction.purchaseKey
        guard var handOver = handOvers[key] else {
            let task = Task { await HandOverScope.$key.withValue(key) { await self.handOverAll(key) } }
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
        while var request = handOvers[key]?.requests.first {
            handOvers[key]?.requests.removeFirst()
            // The attempt before this one has failed to finish the transaction. A request that need not finish it, such as
            // one from a refresh, must not count as its success.
            if let retry = retries[RetryKey(request.transaction)], retry.source.awaitsFinish {
                request.source = retry.source
            }
            if await handOver(request, key) {
                await endRetry(RetryKey(request.transaction), isHandedOver: true)
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
        _ transaction: Transaction, jws: String, _ fulfilment: Fulfilment, under claim: FulfilmentClaim
    ) async throws(JournalError) {
        try await changeEntry(of: transaction, jws: jws, claim.key) { [journal] jws throws(JournalError) in
            try await journal.markGranted(jws: jws, fulfilment, under: claim)
        }
        carriedOut[claim.key] = nil
    }

    /// Lets the fulfiller grant the purchase once, or revoke it, considering all recorded versions; returns false if it fails.
    private func fulfil(
        _ transaction: Transaction, jws: String, _ key: PurchaseKey
    ) async throws(JournalError) -> Bool {
        // Repeated, because the purchase can be refunded, or another service can grant it, while an order is carried out.
        var isMarked = false
        var hasLostClaim = false
        while true {
            // An order that has passed its deadline can still succeed; a second one at the same time could grant twice.
            if let running = orders[key] {
                guard try await isCompleted(running, transaction) else { return false }
            }
            if isMarked {
                let fulfilment = try await requiredOrder(for: transaction, key).order.fulfilment
                if try await journal.fulfilment(of: key) == fulfilment { return true }
            }
            guard let claim = try await claim(transaction, key) else { return false }
            do throws(JournalError) {
                // Read under the claim: another service can have handed the purchase over before.
                let required = try await requiredOrder(for: transaction, key)
                if let next = try await nextOrder(towards: required, claim) {
                    isMarked = next.fulfilment == required.order.fulfilment
                    let running = startOrder(next, for: transaction, jws: jws, claim, isLast: isMarked)
                    guard try await isCompleted(running, next.transaction) else { return false }
                } else {
                    try await markGranted(transaction, jws: jws, required.order.fulfilment, under: claim)
                    isMarked = true
                }
            } catch {
                await release(claim, of: transaction)
                // Another service has handed the purchase over meanwhile, so what is due is not what it was.
                guard error.code == .claimLost, !hasLostClaim else { throw error }
                hasLostClaim = true
                isMarked = false
            }
        }
    }

    /// Claims a purchase for this service; returns nil if another one is handing it over.
    private func claim(
        _ transaction: Transaction, _ key: PurchaseKey
    ) async throws(JournalError) -> FulfilmentClaim? {
        let now = clock()
        let end = now.adding(milliseconds: Self.claimDurationMilliseconds)
        if let kept = carriedOut[key], let claim = try await journal.renew(kept.claim, from: now, until: end) {
            return claim
        }
        guard let claim = try await journal.claimFulfilment(of: key, from: now, until: end) else {
            logEvent(
                .notFulfilled, transaction.productID, transactionID: transaction.id,
                detail: "another service is handing the purchase over")
            return nil
        }
        if let kept = carriedOut[key] {
            // Another service has claimed the purchase, before or after the order was carried out. If reading fails, the
            // next attempt finds the new claim and carries the order out again.
            carriedOut[key] = CarriedOutOrder(fulfilment: kept.fulfilment, claim: claim, isContested: true)
            let recorded = try await journal.fulfilment(of: key)
            carriedOut[key]?.isContested = kept.isContested || recorded != nil && recorded != kept.fulfilment
        }
        return claim
    }

    /// Renews a claim until it is cancelled, so that the claim ends soon after this process is killed, and not before.
    private func keepRenewing(_ claim: FulfilmentClaim, of transaction: Transaction) async {
        while true {
            let wait = timer.start(milliseconds: Self.claimRenewalMilliseconds)
            await withTaskCancellationHandler {
                await wait.value
            } onCancel: {
                wait.cancel()
            }
            if Task.isCancelled { return }
            let now = clock()
            let renewed = await logFailure(transaction.productID, transactionID: transaction.id) {
                [journal] () throws(JournalError) in
                let end = now.adding(milliseconds: Self.claimDurationMilliseconds)
                return try await journal.renew(claim, from: now, until: end)
            }
            // The claim has ended, or another service has replaced it.
            if case .some(.none) = renewed { return }
        }
    }

    /// Releases a claim, except one of an order that was carried out and is not recorded.
    ///
    /// One that cannot be released ends by itself, and until then other services leave the purchase alone.
    private func release(_ claim: FulfilmentClaim, of transaction: Transaction) async {
        guard carriedOut[claim.key] == nil else { return }
        await logFailure(transaction.productID, transactionID: transaction.id) { [journal] () throws(JournalError) in
            try await journal.release(claim)
        }
    }

    /// The order that follows from all recorded versions of a purchase.
    private struct RequiredOrder {
        let order: FulfilmentOrder
        /// Whether one of the versions is not revoked, so that an order to grant the purchase can have been begun.
        let wasSold: Bool
    }

    /// Returns the order that follows from all recorded versions of a purchase.
    private func requiredOrder(
        for transaction: Transaction, _ key: PurchaseKey
    ) async throws(JournalError) -> RequiredOrder {
        var latest = transaction
        var owner: UUIDText?
        var wasSold = !transaction.isRevoked
        for entry in try await journal.recordedEntries(of: key) {
            owner = owner ?? entry.account
            guard let version = await verify(entry.transaction).verifiedPayload else { continue }
            if version.isLater(than: latest) { latest = version }
            if !version.isRevoked { wasSold = true }
        }
        let order = FulfilmentOrder(
            fulfilment: latest.isRevoked ? .revoked : .granted, transaction: latest, key: key, account: owner)
        return RequiredOrder(order: order, wasSold: wasSold)
    }

    /// Returns the order to carry out next, so that the required one is carried out; nil if there is nothing to do.
    ///
    /// A purchase that was never granted is not revoked. If a process may have been killed while it granted the purchase,
    /// the grant is repeated first, so that there certainly is something to revoke.
    private func nextOrder(
        towards required: RequiredOrder, _ claim: FulfilmentClaim
    ) async throws(JournalError) -> FulfilmentOrder? {
        let order = required.order
        if let kept = carriedOut[order.key], kept.isContested { return order }
        let recorded = try await journal.fulfilment(of: order.key)
        let done = carriedOut[order.key]?.fulfilment ?? recorded
        if done == order.fulfilment { return nil }
        if done != nil || order.fulfilment == .granted { return order }
        guard claim.followsUnanswered, required.wasSold else { return nil }
        return FulfilmentOrder(
            fulfilment: .granted, transaction: order.transaction, key: order.key, account: order.account)
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
        _ order: FulfilmentOrder, for transaction: Transaction, jws: String, _ claim: FulfilmentClaim, isLast: Bool
    ) -> RunningOrder {
        let call = Task { [fulfiller] in try await fulfiller.fulfil(order) }
        let renewal = Task { await self.keepRenewing(claim, of: transaction) }
        let task = Task { () -> Result<Bool, JournalError> in
            let result = await self.complete(order, call, for: transaction, jws: jws, claim, isLast: isLast)
            renewal.cancel()
            if case .success(false) = result { await self.release(claim, of: transaction) }
            self.orders[order.key] = nil
            return result
        }
        let running = RunningOrder(call: call, task: task)
        orders[order.key] = running
        return running
    }

    private func complete(
        _ order: FulfilmentOrder, _ call: Task<Void, any Error>, for transaction: Transaction, jws: String,
        _ claim: FulfilmentClaim, isLast: Bool
    ) async -> Result<Bool, JournalError> {
        do {
            try await call.value
        } catch {
            logEvent(
                .notFulfilled, order.transaction.productID, transactionID: order.transaction.id, detail: "\(error)")
            return .success(false)
        }
        // If the journal fails, only the record is repeated, not the order.
        carriedOut[order.key] = CarriedOutOrder(fulfilment: order.fulfilment, claim: claim)
        // The record of a repeated grant would hide that the refund is still to be handed over.
        guard isLast else { return .success(true) }
        do throws(JournalError) {
            try await markGranted(transaction, jws: jws, order.fulfilment, under: claim)
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
            guard beginWait(for: [key]) else { return false }
            await handOver.task.value
            endWait(for: [key])
        }
        return !retries.values.contains { $0.transaction?.purchaseKey == key }
    }

    /// Waits until a purchase that was ``PendingReason/notHandedOver`` is handed over.
    ///
    /// It waits for the last purchase of the product that was ``PendingReason/notHandedOver`` in this run, or else for all
    /// purchases of the product. It returns at once if the calling task is cancelled, and in a fulfiller for whose own order
    /// the purchase waits; the service keeps trying.
    ///
    /// - Returns: Whether the customer has the purchase; false if it was refunded or rejected, if the journal fails, or if
    ///   it has returned before the end.
    public func waitUntilHandedOver(productID: String) async -> Bool {
        let product = ExactString(productID)
        let awaited = notHandedOver[product]
        while true {
            let open = openHandOvers(of: productID, awaited)
            if open.isEmpty { break }
            let keys = open.compactMap(\.self)
            guard beginWait(for: keys) else { return false }
            let observer = handOverObservers[product] ?? FirstAnswer()
            handOverObservers[product] = observer
            let ended: Void? = await observer.valueUnlessCancelled()
            endWait(for: keys)
            if ended == nil { return false }
        }
        let transactions =
            await logFailure(productID) { () throws(JournalError) in try await recordedTransactions() } ?? []
        let purchases = transactions.latestVersions().filter { !$0.isRevoked }
        if let awaited { return purchases.contains { $0.purchaseKey == awaited } }
        return purchases.contains { $0.productID.isIdentical(to: productID) }
    }

    private func tellObservers(of productID: String) async {
        await handOverObservers.removeValue(forKey: ExactString(productID))?.give(())
    }

    /// Returns the purchases of a product that are not handed over, or the awaited one if it is not; nil for each delivery
    /// that is not recorded.
    private func openHandOvers(of productID: String, _ awaited: PurchaseKey?) -> [PurchaseKey?] {
        let running = handOvers.filter { $0.value.productID.isIdentical(to: productID) }.map(\.key)
        let waiting = retries.values.filter { $0.delivery.productID.isIdentical(to: productID) }
            .map { $0.transaction?.purchaseKey }
        return (running + waiting).filter { awaited == nil || $0 == awaited }
    }

    // Two fulfillers can wait for the purchases of each other. The second wait would never end, so it does not begin.

    /// Notes that the hand-over that the caller is part of waits for others; returns false if one of them waits for it.
    private func beginWait(for keys: [PurchaseKey]) -> Bool {
        guard let own = HandOverScope.key else { return true }
        var reached = keys
        var seen: Set<PurchaseKey> = []
        while let key = reached.popLast() {
            if key == own { return false }
            if seen.insert(key).inserted { reached += handOverWaits[key] ?? [] }
        }
        handOverWaits[own, default: []] += keys
        return true
    }

    private func endWait(for keys: [PurchaseKey]) {
        guard let own = HandOverScope.key, var waits = handOverWaits[own] else { return }
        for key in keys {
            if let index = waits.firstIndex(of: key) { waits.remove(at: index) }
        }
        handOverWaits[own] = waits.isEmpty ? nil : waits
    }
}

// MARK: - Retrying

extension PurchaseService {
    /// Processes a delivery again after a pause, which grows with each failure. The process keeps trying while it runs.
    func retryLater(
        _ delivery: SignedTransaction, from source: DeliverySource, by buyer: AppUser?, _ transaction: Transaction?
    ) {
        let known = retries.first { $0.value.delivery.jws.isIdentical(to: delivery.jws) }?.key
        let key = transaction.map(RetryKey.init) ?? known ?? RetryKey(delivery)
        let earlier = retries[key]
        earlier?.wait.cancel()
        let failures = (earlier?.failures ?? 0) + 1
        lastRetry += 1
        let number = lastRetry
        let wait = timer.start(milliseconds: Retry.pause(after: failures))
        let awaitsFinish = earlier?.source.awaitsFinish ?? false
        retries[key] = Retry(
            number: number, delivery: delivery, source: awaitsFinish ? earlier?.source ?? source : source,
            buyer: buyer ?? earlier?.buyer, transaction: transaction ?? earlier?.transaction, failures: failures,
            wait: wait)
        // Detached, because the retry is not part of the hand-over that has failed.
        Task.detached { [weak self] in
            await wait.value
            await self?.retry(number)
        }
    }

    /// Moves the retry of a delivery that is recorded now to the recorded state, which has one retry for all signatures.
    func moveRetry(of delivery: SignedTransaction, to kept: SignedTransaction, _ transaction: Transaction) {
        let (before, after) = (RetryKey(delivery), RetryKey(transaction))
        // Another version of the transaction, such as a refund, can wait under the same id.
        guard var retry = retries[before], retry.delivery.jws.isIdentical(to: delivery.jws) else { return }
        retries[before] = nil
        if let known = retries[after] {
            retry.wait.cancel()
            if !known.source.awaitsFinish { retries[after]?.source = retry.source }
        } else {
            retry.delivery = kept
            retry.transaction = transaction
            retries[after] = retry
        }
    }

    private func retry(_ number: Int) async {
        // A later attempt has replaced this one.
        guard let (key, retry) = retries.first(where: { $0.value.number == number }) else { return }
        let outcome = await ingest(retry.delivery, from: retry.source, by: retry.buyer)
        switch outcome {
        case .recorded, .notRecorded: break
        case .unverified, .conflict:
            // The failure can change, and another attempt follows.
            guard retries[key]?.number == number else { return }
            await endRetry(key, isHandedOver: false)
        }
        notifyHandlers(of: outcome)
    }

    /// Forgets a retry that needs no other attempt.
    func endRetry(_ key: RetryKey, isHandedOver: Bool) async {
        guard let retry = retries.removeValue(forKey: key) else { return }
        retry.wait.cancel()
        if isHandedOver {
            logEvent(
                .handedOver, retry.delivery.productID, transactionID: retry.delivery.transactionID,
                detail: "failed attempts: \(retry.failures)")
        }
        await tellObservers(of: retry.delivery.productID)
    }
}

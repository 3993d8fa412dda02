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
    /// The claim that was made when the delivery was recorded.
    var claim: FulfilmentClaim?
}

/// An order that the fulfiller has not answered.
struct RunningOrder: Sendable {
    let call: Task<Void, any Error>
    let task: Task<Result<Bool, LedgerError>, Never>
}

/// An order that the fulfiller has carried out and the ledger has not recorded.
struct CarriedOutOrder: Sendable {
    let amount: FulfilledAmount
    /// The claim under which the order was carried out. It is kept, so that no other service repeats the order.
    var claim: FulfilmentClaim
    /// Whether another service has recorded a different amount meanwhile, so that either can have been the last.
    var isContested = false
}

// MARK: - Grant and finish

extension PurchaseService {
    /// The time, in milliseconds, for which a claim lets one service alone hand a purchase over: one minute. The
    /// service renews the claim while the fulfiller carries out the order, however long that takes.
    ///
    /// If a service is killed in between, another one, or the next launch, can repeat the order after this time.
    public static let claimDurationMilliseconds: Int64 = FulfilmentClaim.longestMilliseconds
    /// The milliseconds between two renewals of a claim; three of them can fail before the claim ends.
    private static let claimRenewalMilliseconds = claimDurationMilliseconds / 4
    /// The largest number of steps in one attempt to hand a purchase over; usually there are two.
    private static let maximumAttempts = 20

    /// Starts to hand a recorded delivery over: first the fulfiller grants the purchase, then the store finishes it.
    ///
    /// The caller does not wait, because it can be part of the fulfiller. Two transaction ids can identify one
    /// purchase, so deliveries of one purchase are handed over one after the other.
    func startHandOver(_ request: HandOverRequest) {
        let key = request.transaction.purchaseKey
        guard var handOver = handOvers[key] else {
            let task = Task { await HandOverScope.$key.withValue(key) { await self.handOverAll(key) } }
            handOvers[key] = HandOver(productID: request.transaction.productID, requests: [request], task: task)
            return
        }
        let signedText = ExactString(request.delivery.signedText)
        if let index = handOver.requests.firstIndex(where: { ExactString($0.delivery.signedText) == signedText }) {
            // Of two requests for one delivery, the one that also finishes is kept.
            if !handOver.requests[index].source.awaitsFinish || request.isListedAgain {
                let claim = request.claim ?? handOver.requests[index].claim
                handOver.requests[index] = request
                handOver.requests[index].claim = claim
            }
        } else {
            handOver.requests.append(request)
        }
        handOvers[key] = handOver
    }

    private func handOverAll(_ key: PurchaseKey) async {
        while var request = handOvers[key]?.requests.first {
            handOvers[key]?.requests.removeFirst()
            // The attempt before this one has failed to finish the transaction. A request that need not finish it, such
            // as one from a refresh, must not count as its success.
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
        var claim = request.claim
        do throws(LedgerError) {
            // Read again, because an earlier request can have done the work.
            let entry = try await keptEntry(of: request.transaction, signedText: delivery.signedText, key)
            let signedText = entry.transaction.signedText
            if entry.stage < .granted {
                let own = claim
                claim = nil
                guard try await fulfil(request.transaction, signedText: signedText, key, under: own) else {
                    return false
                }
            }
            guard request.source.awaitsFinish, entry.stage < .finished || request.isListedAgain else { return true }
            return try await finish(request.transaction, signedText: signedText, key)
        } catch {
            if let claim { await release(claim, of: request.transaction) }
            logEvent(
                .ledgerFailed, delivery.productID, transactionID: delivery.transactionID, error: error)
            return false
        }
    }

    /// Returns the recorded entry with a signed text; if it was merged since, the one that has the facts of the
    /// transaction now.
    private func keptEntry(
        of transaction: Transaction, signedText: String, _ key: PurchaseKey
    ) async throws(LedgerError) -> LedgerEntry {
        let entries = try await ledger.recordedEntries(of: key)
        if let entry = entries.first(where: { $0.transaction.signedText.isIdentical(to: signedText) }) { return entry }
        for entry in entries {
            let version = await verify(entry.transaction).verifiedPayload
            if version?.facts.isIdentical(to: transaction.facts) == true { return entry }
        }
        throw LedgerError(.outOfOrder, "the entry to hand over is missing")
    }

    /// Changes an entry; if another delivery or service has merged it in between, the entry that has its facts now.
    private func changeEntry(
        of transaction: Transaction, signedText: String, _ key: PurchaseKey,
        _ change: (_ signedText: String) async throws(LedgerError) -> Void
    ) async throws(LedgerError) {
        do throws(LedgerError) {
            try await change(signedText)
        } catch {
            guard error.code == .outOfOrder else { throw error }
            let kept = try await keptEntry(of: transaction, signedText: signedText, key).transaction.signedText
            guard !kept.isIdentical(to: signedText) else { throw error }
            try await change(kept)
        }
    }

    private func markGranted(
        _ transaction: Transaction, signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) async throws(LedgerError) {
        try await changeEntry(of: transaction, signedText: signedText, claim.key) {
            [ledger] signedText throws(LedgerError) in
            try await ledger.markGranted(signedText: signedText, fulfilment, under: claim)
        }
        carriedOut[claim.key] = nil
    }

    /// Lets the fulfiller grant the purchase once, or revoke it, considering all recorded versions; returns false if it
    /// fails.
    private func fulfil(
        _ transaction: Transaction, signedText: String, _ key: PurchaseKey, under first: FulfilmentClaim?
    ) async throws(LedgerError) -> Bool {
        var first = first
        // Repeated, because the purchase can be refunded, or another service can grant it, while an order is carried
        // out.
        var isMarked = false
        var hasLostClaim = false
        for _ in 0..<Self.maximumAttempts {
            // An order that has passed its deadline can still succeed; a second one at the same time could grant twice.
            if let running = orders[key] {
                guard try await isCompleted(running, transaction) else { return false }
            }
            if isMarked {
                let required = try await requiredOrder(for: transaction, signedText: signedText, key)
                if required.recorded == required.order.amount { return true }
            }
            let own = first
            first = nil
            let made = if let own { own } else { try await claim(transaction, signedText: signedText, key) }
            guard let claim = made else { return false }
            do throws(LedgerError) {
                // Read under the claim: another service can have handed the purchase over before.
                let required = try await requiredOrder(for: transaction, signedText: signedText, key)
                if isDue(required, claim) {
                    let running = startOrder(required, claim)
                    guard try await isCompleted(running, required.order.transaction) else { return false }
                    // The entry of another version is still to be marked.
                    isMarked = required.signedText.isIdentical(to: signedText)
                } else {
                    try await markGranted(transaction, signedText: signedText, required.order.amount, under: claim)
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
        logEvent(
            .notFulfilled, transaction.productID, transactionID: transaction.id,
            detail: "the ledger does not keep what was handed over")
        return false
    }

    /// Claims a purchase for this service; returns nil if another one is handing it over.
    private func claim(
        _ transaction: Transaction, signedText: String, _ key: PurchaseKey
    ) async throws(LedgerError) -> FulfilmentClaim? {
        let now = clock()
        let end = now.adding(milliseconds: Self.claimDurationMilliseconds)
        if let kept = carriedOut[key], let claim = try await ledger.renew(kept.claim, from: now, until: end) {
            return claim
        }
        guard let claim = try await ledger.claimFulfilment(of: key, from: now, until: end) else {
            logEvent(
                .notFulfilled, transaction.productID, transactionID: transaction.id,
                detail: "another service is handing the purchase over")
            return nil
        }
        if let kept = carriedOut[key] {
            // Another service has claimed the purchase, before or after the order was carried out. If reading fails,
            // the next attempt finds the new claim and carries the order out again.
            carriedOut[key] = CarriedOutOrder(amount: kept.amount, claim: claim, isContested: true)
            let recorded = try await requiredOrder(for: transaction, signedText: signedText, key).recorded
            carriedOut[key]?.isContested = kept.isContested || recorded != nil && recorded != kept.amount
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
                [ledger] () throws(LedgerError) in
                let end = now.adding(milliseconds: Self.claimDurationMilliseconds)
                return try await ledger.renew(claim, from: now, until: end)
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
        await logFailure(transaction.productID, transactionID: transaction.id) { [ledger] () throws(LedgerError) in
            try await ledger.release(claim)
        }
    }

    /// The order that follows from all recorded versions of a purchase.
    private struct RequiredOrder {
        let order: FulfilmentOrder
        /// The signed text of the version that the order is for.
        let signedText: String
        /// Whether another version asks for another amount, for which an order can have been carried out too.
        let hasOtherAmounts: Bool
        /// The amount after the last order that the ledger has recorded; nil if it has recorded none.
        let recorded: FulfilledAmount?
    }

    /// Returns the order that follows from all recorded versions of a purchase.
    private func requiredOrder(
        for transaction: Transaction, signedText: String, _ key: PurchaseKey
    ) async throws(LedgerError) -> RequiredOrder {
        var latest = (transaction: transaction, signedText: signedText)
        var owner: UUIDText?
        var versions = [transaction]
        let entries = try await ledger.recordedEntries(of: key)
        // Only the ledger knows the owner; its entries can have been erased, or lost with the database, since the
        // first step.
        guard !entries.isEmpty else { throw LedgerError(.outOfOrder, "the entry to hand over is missing") }
        for entry in entries {
            owner = owner ?? entry.account
            guard let version = await verify(entry.transaction).verifiedPayload else { continue }
            versions.append(version)
            if version.isLater(than: latest.transaction) { latest = (version, entry.transaction.signedText) }
        }
        let order = FulfilmentOrder(
            fulfilment: latest.transaction.isRevoked ? .revoked : .granted, transaction: latest.transaction, key: key,
            account: owner)
        let hasOtherAmounts = versions.contains {
            FulfilmentOrder(fulfilment: $0.isRevoked ? .revoked : .granted, transaction: $0, key: key).amount
                != order.amount
        }
        let recorded = try await ledger.fulfilment(of: key)
        return RequiredOrder(
            order: order, signedText: latest.signedText, hasOtherAmounts: hasOtherAmounts, recorded: recorded)
    }

    /// Returns whether the required order is still to be carried out.
    ///
    /// A refund is due also if no grant is recorded: the ledger can have been lost since, or a process can have been
    /// killed while it granted the purchase.
    private func isDue(_ required: RequiredOrder, _ claim: FulfilmentClaim) -> Bool {
        if let kept = carriedOut[claim.key] { return kept.isContested || kept.amount != required.order.amount }
        // A process that was killed can have carried out the order for another version after the recorded one.
        return required.recorded != required.order.amount || claim.followsUnanswered && required.hasOtherAmounts
    }

    private func isCompleted(_ order: RunningOrder, _ transaction: Transaction) async throws(LedgerError) -> Bool {
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

    private func startOrder(_ required: RequiredOrder, _ claim: FulfilmentClaim) -> RunningOrder {
        let order = required.order
        let call = Task { [fulfiller] in try await fulfiller.fulfil(order) }
        let renewal = Task { await self.keepRenewing(claim, of: order.transaction) }
        let task = Task { () -> Result<Bool, LedgerError> in
            let result = await self.complete(required, call, claim)
            renewal.cancel()
            if case .success(false) = result { await self.release(claim, of: order.transaction) }
            self.orders[order.key] = nil
            return result
        }
        let running = RunningOrder(call: call, task: task)
        orders[order.key] = running
        return running
    }

    private func complete(
        _ required: RequiredOrder, _ call: Task<Void, any Error>, _ claim: FulfilmentClaim
    ) async -> Result<Bool, LedgerError> {
        let order = required.order
        do {
            try await call.value
        } catch {
            logEvent(
                .notFulfilled, order.transaction.productID, transactionID: order.transaction.id, detail: "\(error)")
            return .success(false)
        }
        // If the ledger fails, only the record is repeated, not the order.
        carriedOut[order.key] = CarriedOutOrder(amount: order.amount, claim: claim)
        do throws(LedgerError) {
            // The entry of the version that the order was for, which says how many items were granted.
            try await markGranted(order.transaction, signedText: required.signedText, order.amount, under: claim)
            return .success(true)
        } catch {
            return .failure(error)
        }
    }

    private func finish(
        _ transaction: Transaction, signedText: String, _ key: PurchaseKey
    ) async throws(LedgerError) -> Bool {
        do throws(StoreError) {
            try await store.finish(transactionID: transaction.id)
        } catch {
            logEvent(.notFinished, transaction.productID, transactionID: transaction.id, error: error)
            return false
        }
        try await changeEntry(of: transaction, signedText: signedText, key) {
            [ledger] signedText throws(LedgerError) in
            try await ledger.markFinished(signedText: signedText)
        }
        return true
    }
}

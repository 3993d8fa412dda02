internal import ReceiptTypes

/// The purchase whose hand-over the current task is part of, for example because the fulfiller has called the service.
enum HandOverScope {
    @TaskLocal static var key: PurchaseKey?
}

// Performs what the machine of the hand-overs asks for, and passes the results back. Nothing is decided here.
extension PurchaseService {
    /// The time, in milliseconds, for which a claim lets one service alone hand a purchase over: one minute. The
    /// service renews the claim while the fulfiller carries out the order, however long that takes.
    ///
    /// If a service is killed in between, another one, or the next launch, can repeat the order after this time.
    public static let claimDurationMilliseconds: Int64 = FulfilmentClaim.longestMilliseconds

    /// Passes an event to the machine, and begins its effects.
    func handle(_ event: HandOvers.Event) {
        for effect in handOvers.handle(event, at: environment.clock()) { perform(effect) }
    }

    private func perform(_ effect: HandOvers.Effect) {
        let id = effect.id
        switch effect.work {
        case .ledger(let work): run(id) { await self.answer(to: work) }
        case .fulfil(let order):
            orders[id.number] = run(id) { [fulfiller] in
                do {
                    try await fulfiller.fulfil(order)
                    return .done
                } catch {
                    return .notFulfilled("\(error)")
                }
            }
        case .cancelOrder(let order): orders[order.number]?.cancel()
        case .finish(let transactionID):
            run(id) { [store] in
                do throws(StoreError) {
                    try await store.finish(transactionID: transactionID)
                    return .done
                } catch {
                    return .notFinished(error)
                }
            }
        case .startTimer(let milliseconds): startTimer(id, milliseconds)
        case .cancelTimer(let timer): timers.removeValue(forKey: timer.number)?.cancel()
        case .ingest(let delivery, let source, let buyer):
            // As work that ``suspend(after:)`` waits for.
            startDelivery { await self.ingestAgain(id, delivery, from: source, by: buyer) }
        case .answer(let waiter, let isDone): waiters.removeValue(forKey: waiter)?.resume(returning: isDone)
        case .log(let event): environment.log.log(event)
        }
    }

    @discardableResult
    private func run(
        _ id: HandOvers.EffectID, _ work: @escaping @Sendable () async -> HandOvers.Answer
    ) -> Task<Void, Never> {
        let key: PurchaseKey? = if case .purchase(let key) = id.subject { key } else { nil }
        return Task {
            let answer = await HandOverScope.$key.withValue(key) { await work() }
            self.orders[id.number] = nil
            self.handle(.ended(id, answer))
        }
    }

    private func startTimer(_ id: HandOvers.EffectID, _ milliseconds: Int64) {
        let wait = environment.timer.start(milliseconds: milliseconds)
        timers[id.number] = wait
        // Detached, because what follows is not part of the hand-over that has started the timer.
        Task.detached { [weak self] in
            await wait.value
            await self?.endTimer(id)
        }
    }

    private func endTimer(_ id: HandOvers.EffectID) {
        if timers.removeValue(forKey: id.number) != nil { handle(.ended(id, .done)) }
    }

    private func ingestAgain(
        _ id: HandOvers.EffectID, _ delivery: SignedTransaction, from source: DeliverySource, by buyer: AppUser?
    ) async {
        let outcome = await ingest(delivery, from: source, by: buyer)
        switch outcome {
        case .recorded, .notRecorded: break
        case .unverified, .conflict: handle(.ended(id, .rejected))
        }
        notifyHandlers(of: outcome)
    }

    private func answer(to work: HandOvers.LedgerWork) async -> HandOvers.Answer {
        do throws(LedgerError) {
            switch work {
            case .read(let key): return .read(try await recordedPurchase(key))
            case .claim(let key):
                return try await ledger.transact(.claim) {
                    [environment] (rows: inout any LedgerRows) throws(LedgerError) in
                    .claim(try rows.claimFulfilment(of: key, from: environment.clock()))
                }
            case .renew(let claim):
                return try await ledger.transact(.renewClaim) {
                    [environment] (rows: inout any LedgerRows) throws(LedgerError) in
                    .claim(try rows.renew(claim, from: environment.clock()))
                }
            case .release(let claim): try await ledger.release(claim)
            case .markGranted(let version, let amount, under: let claim):
                try await ledger.transact(.grant) { (rows: inout any LedgerRows) throws(LedgerError) in
                    try rows.markGranted(version, amount, under: claim)
                }
            case .markFinished(let version):
                try await ledger.transact(.finish) { (rows: inout any LedgerRows) throws(LedgerError) in
                    try rows.markFinished(version)
                }
            }
            return .done
        } catch {
            return .ledgerFailed(error)
        }
    }

    /// Returns what the ledger has of a purchase, verified again.
    private func recordedPurchase(_ key: PurchaseKey) async throws(LedgerError) -> PurchaseVersions {
        let stored = try await ledger.read(.readPurchase) { (rows) throws(LedgerError) in try rows.purchase(key) }
        var versions: [RecordedVersion] = []
        for entry in stored.entries {
            versions.append(RecordedVersion(entry, await verify(entry.transaction).verifiedPayload))
        }
        return PurchaseVersions(versions: versions, handedOver: stored.handedOver, claim: stored.claim)
    }
}

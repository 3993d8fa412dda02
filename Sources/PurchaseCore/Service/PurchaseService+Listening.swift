public import ReceiptTypes

extension PurchaseService {
    typealias Handler = @Sendable (VerificationResult<Transaction>) async -> Void

    /// Processes the store's updates, after resuming the purchases that an earlier run left unfinished.
    ///
    /// Deliveries are processed concurrently, so one that waits or fails does not delay the others. Cancelling the task
    /// stops the listening, and the handler is not called any more; the task ends after the deliveries that have
    /// already arrived are processed.
    public nonisolated func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never> {
        // The stream is created first, so no update from here on is missed.
        let updates = store.updates()
        return Task { await self.listen(to: updates, handler) }
    }

    private func listen(to updates: AsyncStream<StoreUpdate>, _ handler: @escaping Handler) async {
        lastDelivery += 1
        let number = lastDelivery
        // Deliveries that are in process can end long after the cancellation.
        let isCancelled = Locked(false)
        let handler: Handler = { result in
            if !isCancelled.withLock({ $0 }) { await handler(result) }
        }
        handlers[number] = handler
        await withTaskCancellationHandler {
            startDelivery { await self.resumeUnfinishedPurchases(handler) }
            for await update in updates {
                startDelivery { await self.process(update, handler) }
            }
            if isCancelled.withLock({ $0 }) { handlers[number] = nil }
            // Each delivery removes itself, and may have started others.
            while let delivery = deliveries.values.first { await delivery.value }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        handlers[number] = nil
    }

    func startDelivery(_ work: @escaping @Sendable () async -> Void) {
        lastDelivery += 1
        let number = lastDelivery
        deliveries[number] = Task {
            // No hand-over waits for this work, even if its fulfiller has begun it, and it has deadlines of its own.
            await HandOverScope.$key.withValue(nil) {
                await QuestionLimit.$current.withValue(.each) { await work() }
            }
            self.deliveries[number] = nil
        }
    }

    private func process(_ update: StoreUpdate, _ handler: Handler) async {
        switch update {
        case .transaction(let transaction):
            let outcome = await ingest(transaction, from: .update)
            if let failure = outcome.failure { await handler(.unverified(failure)) }
            await waitForHandOver(of: outcome)
        case .subscriptionStatus(let status):
            let user = user
            let ingested = await ingest(status)
            // Not of another user, nor before the transaction is recorded; the user can have changed meanwhile.
            guard ingested.isStored, let info = ingested.renewal?.verifiedPayload, user == self.user,
                let transaction = ingested.outcome.recorded, announcements.isNews(info, of: transaction)
            else { return }
            callHandlers(.verified(transaction))
        }
    }

    /// Tells every running listener about a recorded transaction, unless the user has changed meanwhile.
    func announce(_ transaction: Transaction, of owner: UUIDText?) {
        if user.mayOwn(owner) { callHandlers(.verified(transaction)) }
    }

    /// Calls the handler of every running listener.
    ///
    /// A transaction can be recorded by a purchase, a refresh, a restore or the stream of any listener. Every handler
    /// receives it once, whichever was first.
    func callHandlers(_ result: VerificationResult<Transaction>) {
        for handler in handlers.values { startDelivery { await handler(result) } }
    }

    /// Tells every running listener about a rejected delivery that arrived another way than its updates.
    func notifyHandlers(of outcome: Intake.Outcome) {
        if let failure = outcome.failure { callHandlers(.unverified(failure)) }
    }

    /// Waits until the hand-over of a recorded delivery has succeeded or failed.
    func waitForHandOver(of outcome: Intake.Outcome) async {
        if case .recorded(let transaction, _) = outcome { await isHandedOver(transaction.purchaseKey) }
    }
}

// MARK: - Resuming

extension PurchaseService {
    /// Resumes every purchase that was begun and not finished. Call it at launch and when the network is back.
    ///
    /// ``listenForTransactions(handler:)`` does so when it starts, and ``signIn(_:)`` for the new user.
    ///
    /// It returns within ``PurchaseDeadlines/queryMilliseconds`` and ``PurchaseDeadlines/fulfilmentMilliseconds``
    /// together, and goes on in the background then.
    public func resumeUnfinishedPurchases() async {
        _ = await answer(within: deadlines.handOverMilliseconds) {
            await self.resumeUnfinishedPurchases { [weak self] result in await self?.callHandlers(result) }
        }
    }

    private func resumeUnfinishedPurchases(_ handler: @escaping Handler) async {
        // Read before the store's list, so an entry that the list lacks is finished, and not newer than the list.
        let open = await openEntries()
        let answer = await answer(within: deadlines.queryMilliseconds) {
            await self.unfinishedTransactions()
        } late: { unfinished in
            await self.startDelivery {
                for transaction in unfinished ?? [] { await self.resume(transaction, handler) }
            }
        }
        let unfinished: [SignedTransaction]?
        switch answer {
        case .some(let listed): unfinished = listed
        case nil:
            unfinished = nil
            logEvent(
                .storeFailed, error: StoreError.timedOut("unfinished transactions", deadlines.queryMilliseconds))
        }
        let listed = unfinished.map { Set($0.map { ExactString($0.transactionID) }) }
        let listedJWS = Set((unfinished ?? []).map { ExactString($0.signedText) })
        await withTaskGroup(of: Void.self) { group in
            // An entry whose JWS is listed too is resumed once.
            for entry in open where !listedJWS.contains(ExactString(entry.transaction.signedText)) {
                // If the store did not answer, no entry counts as finished.
                let isFinished = listed.map { !$0.contains(ExactString(entry.transaction.transactionID)) } ?? false
                group.addTask { await self.resume(entry, isFinished: isFinished, handler) }
            }
            for transaction in unfinished ?? [] {
                group.addTask { await self.resume(transaction, handler) }
            }
        }
    }

    /// Returns the store's unfinished transactions; nil if the store has failed.
    private func unfinishedTransactions() async -> [SignedTransaction]? {
        do throws(StoreError) {
            return try await store.unfinishedTransactions()
        } catch {
            logEvent(.storeFailed, error: error)
            return nil
        }
    }

    private func openEntries() async -> [LedgerEntry] {
        do throws(LedgerError) {
            let unwritten = intake.unwrittenEntries(of: user)
            return try await ledger.entries().filter {
                $0.stage < .finished && $0.quarantineReason == nil && !$0.transaction.isAppReceipt
            } + unwritten
        } catch {
            logEvent(.ledgerFailed, error: error)
            return []
        }
    }

    private func resume(_ entry: LedgerEntry, isFinished: Bool, _ handler: @escaping Handler) async {
        // Only the history has it, and nothing says for which account it is; see ``readHistory()``.
        let isUnowned = user != .noAccounts && entry.source == .history && entry.stage < .recorded
        let outcome = await ingest(entry.transaction, from: .history, by: isUnowned ? .signedOut : nil)
        // The version that the platform delivers in place of this one has an outcome of its own.
        let isReplaced = outcome.failure?.code == .platformVersionDiffers
        if let failure = outcome.failure, !isReplaced { startDelivery { await handler(.unverified(failure)) } }
        await waitForHandOver(of: outcome)
        if isFinished, isReplaced || outcome.recorded != nil { await markFinished(entry.transaction) }
    }

    private func resume(_ transaction: SignedTransaction, _ handler: @escaping Handler) async {
        let outcome = await ingest(transaction, from: .unfinished)
        // Not awaited, so the handler can process several transactions concurrently.
        if let failure = outcome.failure { startDelivery { await handler(.unverified(failure)) } }
        await waitForHandOver(of: outcome)
    }

    /// Marks an entry as finished if it is granted, because the store no longer lists it as unfinished.
    private func markFinished(_ transaction: SignedTransaction) async {
        do throws(LedgerError) {
            try await ledger.markFinished(signedText: transaction.signedText)
        } catch {
            guard error.code != .outOfOrder else { return }
            logEvent(.ledgerFailed, transaction.productID, transactionID: transaction.transactionID, error: error)
        }
    }
}

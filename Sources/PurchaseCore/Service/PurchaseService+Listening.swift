public import ReceiptTypes

extension PurchaseService {
    typealias Handler = @Sendable (VerificationResult<Transaction>) async -> Void

    /// Processes the store's updates, after resuming the purchases that an earlier run left unfinished.
    ///
    /// Deliveries are processed concurrently, so one that waits or fails does not delay the others. Cancelling the task stops
    /// the listening; the task ends after the deliveries that have already arrived are processed.
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
        handlers[number] = handler
        startDelivery { await self.resumeUnfinishedPurchases(handler) }
        for await update in updates {
            startDelivery { await self.process(update, handler) }
        }
        handlers[number] = nil
        // Each delivery removes itself, and may have started others.
        while let delivery = deliveries.values.first { await delivery.value }
    }

    func startDelivery(_ work: @escaping @Sendable () async -> Void) {
        lastDelivery += 1
        let number = lastDelivery
        deliveries[number] = Task {
            await work()
            self.deliveries[number] = nil
        }
    }

    private func process(_ update: StoreUpdate, _ handler: Handler) async {
        switch update {
        case .transaction(let transaction):
            let outcome = await ingest(transaction, from: .update)
            await Self.notify(handler, of: outcome)
            await waitForHandOver(of: outcome)
        case .subscriptionStatus(let status):
            let isNew = await ingest(status)
            // The handler is called for a known transaction too, because its renewal info can have changed.
            if isNew, let transaction = await verify(status.transaction).verifiedPayload {
                await handler(.verified(transaction))
            }
        }
    }

    /// Tells every running listener about a delivery that arrived another way than its updates.
    func notifyHandlers(of outcome: IngestOutcome) {
        for handler in handlers.values { startDelivery { await Self.notify(handler, of: outcome) } }
    }

    /// Waits until the hand-over of a recorded delivery has succeeded or failed.
    func waitForHandOver(of outcome: IngestOutcome) async {
        if case .recorded(let transaction, _) = outcome { await isHandedOver(transaction.purchaseKey) }
    }

    private static func notify(_ handler: Handler, of outcome: IngestOutcome) async {
        switch outcome {
        case .recorded(let transaction, isNew: true): await handler(.verified(transaction))
        case .unverified(let failure): await handler(.unverified(failure))
        case .conflict(_, let conflict): await handler(.unverified(conflict.failure))
        case .recorded(_, isNew: false), .notRecorded: break
        }
    }
}

// MARK: - Resuming

extension PurchaseService {
    /// Resumes every purchase that was begun and not finished. Call it at launch and when the network is back.
    ///
    /// ``listenForTransactions(handler:)`` does so when it starts.
    public func resumeUnfinishedPurchases() async {
        await resumeUnfinishedPurchases { _ in }
    }

    private func resumeUnfinishedPurchases(_ handler: @escaping Handler) async {
        // Read before the store's list, so an entry that the list lacks is finished, and not newer than the list.
        let open = await openEntries()
        let unfinished: [SignedTransaction]?
        do throws(StoreError) {
            unfinished = try await store.unfinishedTransactions()
        } catch {
            logEvent(.storeFailed, detail: error.description)
            unfinished = nil
        }
        let listed = unfinished.map { Set($0.map { ExactString($0.transactionID) }) }
        let listedJWS = Set((unfinished ?? []).map { ExactString($0.jws) })
        await withTaskGroup(of: Void.self) { group in
            // An entry whose JWS is listed too is resumed once.
            for entry in open where !listedJWS.contains(ExactString(entry.transaction.jws)) {
                // If the store did not answer, no entry counts as finished.
                let isFinished = listed.map { !$0.contains(ExactString(entry.transaction.transactionID)) } ?? false
                group.addTask { await self.resume(entry, isFinished: isFinished, handler) }
            }
            for transaction in unfinished ?? [] {
                group.addTask { await self.resume(transaction, handler) }
            }
        }
    }

    private func openEntries() async -> [JournalEntry] {
        do throws(JournalError) {
            return try await journal.entries().filter { $0.stage < .finished && $0.quarantineReason == nil }
        } catch {
            logEvent(.journalFailed, detail: error.description)
            return []
        }
    }

    private func resume(_ entry: JournalEntry, isFinished: Bool, _ handler: @escaping Handler) async {
        let outcome = await ingest(entry.transaction, from: .history)
        startDelivery { await Self.notify(handler, of: outcome) }
        await waitForHandOver(of: outcome)
        if isFinished, case .recorded(let transaction, _) = outcome {
            await markFinished(transaction, jws: entry.transaction.jws)
        }
    }

    private func resume(_ transaction: SignedTransaction, _ handler: @escaping Handler) async {
        let outcome = await ingest(transaction, from: .unfinished)
        // Not awaited, so the handler can process several transactions concurrently.
        startDelivery { await Self.notify(handler, of: outcome) }
        await waitForHandOver(of: outcome)
    }

    /// Marks an entry as finished if it is granted, because the store no longer lists it as unfinished.
    private func markFinished(_ transaction: Transaction, jws: String) async {
        do throws(JournalError) {
            try await journal.markFinished(jws: jws)
        } catch {
            guard error.code != .outOfOrder else { return }
            logEvent(.journalFailed, transaction.productID, transactionID: transaction.id, detail: error.description)
        }
    }
}

public import ReceiptTypes

extension PurchaseService {
    /// Takes in what the store delivers, and first whatever an earlier run left undone.
    ///
    /// Each delivery goes its own way, so that one that waits or fails holds up no other. Cancelling the task ends the
    /// listening; what was accepted before is carried through, and the task ends after it.
    public nonisolated func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never> {
        // Before anything else is done: what the store sends from here on is in the stream.
        let updates = store.updates()
        return Task { await self.listen(to: updates, handler) }
    }

    private func listen(
        to updates: AsyncStream<StoreUpdate>,
        _ handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) async {
        accept { await self.settle(handler) }
        for await update in updates {
            accept { await self.deliver(update, handler) }
        }
        // Each takes itself off the list, and may have put others on it.
        while let delivery = deliveries.values.first { await delivery.value }
    }

    private func accept(_ work: @escaping @Sendable () async -> Void) {
        lastDelivery += 1
        let number = lastDelivery
        deliveries[number] = Task {
            await work()
            self.deliveries[number] = nil
        }
    }

    private func deliver(
        _ update: StoreUpdate, _ handler: @Sendable (VerificationResult<Transaction>) async -> Void
    ) async {
        switch update {
        case .transaction(let transaction):
            await Self.tell(await ingest(transaction, from: .update), handler)
        case .subscriptionStatus(let status):
            let isNew = await take(status)
            // The transaction itself may be long known; what has changed is how it renews.
            if isNew, let transaction = await judge(status.transaction).verifiedPayload {
                await handler(.verified(transaction))
            }
        }
    }

    private static func tell(
        _ outcome: IngestOutcome, _ handler: @Sendable (VerificationResult<Transaction>) async -> Void
    ) async {
        switch outcome {
        case .recorded(let transaction, isNew: true): await handler(.verified(transaction))
        case .refused(let failure): await handler(.unverified(failure))
        case .conflict(_, let conflict): await handler(.unverified(conflict.failure))
        case .recorded(_, isNew: false), .notRecorded: break
        }
    }

    /// Goes on with everything that was begun and not brought to its end: at launch, and when the network is back.
    public func settle() async {
        await settle { _ in }
    }

    private func settle(_ handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void) async {
        // Read before the store is asked, so that what it does not list then is really done.
        let begun = await openEntries()
        let unfinished: [SignedTransaction]?
        do throws(StoreError) {
            unfinished = try await store.unfinishedTransactions()
        } catch {
            note(.storeFailed, detail: error.description)
            unfinished = nil
        }
        let listed = unfinished.map { Set($0.map { ExactText($0.transactionID) }) }
        await withTaskGroup(of: Void.self) { group in
            for entry in begun {
                // Without the store's word nothing is taken for finished.
                let isDone = listed.map { !$0.contains(ExactText(entry.transaction.transactionID)) } ?? false
                group.addTask { await self.resume(entry, isDone: isDone, handler) }
            }
            for transaction in unfinished ?? [] {
                group.addTask { await self.take(transaction, handler) }
            }
        }
    }

    private func resume(
        _ entry: JournalEntry, isDone: Bool,
        _ handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) async {
        let outcome = await ingest(entry.transaction, from: .history)
        accept { await Self.tell(outcome, handler) }
        if isDone, case .recorded(let transaction, _) = outcome { await close(entry.transaction.jws, transaction) }
    }

    private func take(
        _ transaction: SignedTransaction,
        _ handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) async {
        let outcome = await ingest(transaction, from: .unfinished)
        // Not waited for: whoever is told many things at once can deal with them at once.
        accept { await Self.tell(outcome, handler) }
    }

    private func openEntries() async -> [JournalEntry] {
        do throws(JournalError) {
            return try await journal.entries().filter { $0.stage < .finished && $0.refusal == nil }
        } catch {
            note(.journalFailed, detail: error.description)
            return []
        }
    }

    /// Closes an entry that the store asks for no more, unless it still has to be granted.
    private func close(_ jws: String, _ transaction: Transaction) async {
        do throws(JournalError) {
            try await journal.markFinished(jws: jws)
        } catch {
            guard error.code != .outOfOrder else { return }
            note(.journalFailed, transaction.productID, transactionID: transaction.id, detail: error.description)
        }
    }
}

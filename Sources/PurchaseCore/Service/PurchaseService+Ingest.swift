internal import ReceiptTypes

/// The result of ingesting a delivery.
enum IngestOutcome: Sendable {
    /// The transaction is recorded; `isNew` says whether it was not recorded before.
    case recorded(Transaction, isNew: Bool)
    /// The transaction is not verified.
    case unverified(VerificationFailure)
    /// The transaction is verified, but contradicts a recorded one.
    case conflict(Transaction, RecordConflict)
    /// The journal failed; the store will deliver the transaction again.
    case notRecorded(JournalError)
}

// MARK: - Observe, verify, record

extension PurchaseService {
    /// Ingests a delivery: every transaction from every source takes this path.
    ///
    /// It returns when the transaction is recorded. The hand-over goes on in a task of its own; ``isHandedOver(_:)`` waits
    /// for it.
    func ingest(_ delivery: SignedTransaction, from source: DeliverySource) async -> IngestOutcome {
        do throws(JournalError) {
            return try await process(delivery, from: source)
        } catch {
            logEvent(
                .journalFailed, delivery.productID, transactionID: delivery.transactionID,
                detail: error.description
            )
            retryLater(delivery, from: source, nil)
            return .notRecorded(error)
        }
    }

    private func process(
        _ delivery: SignedTransaction, from source: DeliverySource
    ) async throws(JournalError) -> IngestOutcome {
        let observed = try await journal.observe(delivery, from: source, at: clock())
        let transaction: Transaction
        switch await verify(delivery) {
        case .verified(let payload): transaction = payload
        case .unverified(let failure):
            logEvent(
                .unverified, delivery.productID, transactionID: delivery.transactionID, detail: failure.description)
            // A retryable failure is not quarantined. A recorded entry stays recorded when an objection arrives later.
            if !failure.isRetryable, observed.stage < .recorded { try await quarantine(delivery, failure.code) }
            return .unverified(failure)
        }
        if let account, let owner = transaction.appAccountToken, owner != account {
            try await markVerified(delivery)
            return conflict(transaction, .belongsToAnotherAccount)
        }
        let (entry, outcome) = try await record(transaction, delivery, from: source)
        if case .conflict(let reason) = outcome { return conflict(transaction, reason) }
        let isNew = outcome != .unchanged
        let key = transaction.purchaseKey
        let retry = retries[ExactString(delivery.jws)]
        // An attempt that failed to finish the transaction is made up for, wherever the transaction comes from now.
        let source = retry.map { $0.source.awaitsFinish ? $0.source : source } ?? source
        // Also if an earlier run was killed after it had recorded the transaction.
        let isResumed = entry.stage < .granted && handOvers[key] == nil && retry == nil
        // Before the hand-over, because an entry that is granted is not resumed here after a crash.
        if isNew || isResumed { await finishRecording(transaction) }
        let isListedAgain = entry.stage == .finished && source == .unfinished
        if entry.stage < .granted || isListedAgain || source.awaitsFinish && entry.stage < .finished {
            startHandOver(
                HandOverRequest(
                    delivery: delivery, transaction: transaction, source: source, isListedAgain: isListedAgain))
        } else {
            await endRetry(of: delivery, isHandedOver: true)
        }
        if outcome == .inserted { await endWait(for: transaction, entry) }
        return .recorded(transaction, isNew: isNew)
    }

    /// Moves the entry of a delivery into quarantine, unless another delivery of the same JWS was recorded since.
    private func quarantine(
        _ delivery: SignedTransaction, _ code: VerificationFailure.Code
    ) async throws(JournalError) {
        try await changeEntries(of: delivery) { journal throws(JournalError) in
            do throws(JournalError) {
                try await journal.quarantine(jws: delivery.jws, because: code)
            } catch {
                if error.code != .outOfOrder { throw error }
            }
        }
    }

    private func markVerified(_ delivery: SignedTransaction) async throws(JournalError) {
        try await changeEntries(of: delivery) { journal throws(JournalError) in
            try await journal.markVerified(jws: delivery.jws)
        }
    }

    /// Records a verified delivery, and returns its entry as it was before.
    private func record(
        _ transaction: Transaction, _ delivery: SignedTransaction, from source: DeliverySource
    ) async throws(JournalError) -> (JournalEntry, RecordOutcome) {
        let now = clock()
        let account = transaction.appAccountToken ?? self.account
        return try await changeEntries(of: delivery) { journal throws(JournalError) in
            let entry = try await journal.observe(delivery, from: source, at: now)
            if entry.stage < .verified || entry.quarantineReason != nil {
                try await journal.markVerified(jws: delivery.jws)
            }
            return (entry, try await journal.record(transaction, jws: delivery.jws, for: account))
        }
    }

    /// Changes the journal's entries of one transaction; changes of the same transaction run one after the other.
    private func changeEntries<Value: Sendable>(
        of delivery: SignedTransaction,
        _ body: @escaping @Sendable (any PurchaseJournal) async throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        let result = await queue.run("delivery \(delivery.transactionID)") {
            [journal] () -> Result<Value, JournalError> in
            do throws(JournalError) {
                return .success(try await body(journal))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func conflict(_ transaction: Transaction, _ reason: RecordConflict) -> IngestOutcome {
        logEvent(.conflict, transaction.productID, transactionID: transaction.id, detail: reason.rawValue)
        return .conflict(transaction, reason)
    }

    /// Logs a recorded transaction, updates the clock marks, and removes the product from the pending purchases.
    private func finishRecording(_ transaction: Transaction) async {
        logEvent(.recorded, transaction.productID, transactionID: transaction.id, detail: transaction.type.rawValue)
        let now = clock()
        await updateMemory { memory in
            memory.clock.recordSignature(transaction.signedDate, clock: now)
            memory.pending.removeAll { $0.productID.isIdentical(to: transaction.productID) }
        }
    }

    /// Verifies a delivery; a delivery with an objection of the store is rejected.
    func verify(_ delivery: SignedTransaction) async -> VerificationResult<Transaction> {
        if let objection = delivery.objection {
            return .unverified(VerificationFailure(code: .storeObjection, actual: objection))
        }
        let jws = ExactString(delivery.jws)
        if let known = verified[jws] { return .verified(known) }
        switch await verifier.verifyTransaction(delivery.jws, at: await currentTime()) {
        case .unverified(let failure): return .unverified(failure)
        case .verified(let payload):
            guard let transaction = Transaction(payload) else {
                return .unverified(VerificationFailure(code: .transactionIncomplete))
            }
            verified[jws] = transaction
            return .verified(transaction)
        }
    }
}

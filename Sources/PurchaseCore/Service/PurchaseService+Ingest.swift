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
    /// Two deliveries of the same transaction are processed one after the other.
    func ingest(_ delivery: SignedTransaction, from source: DeliverySource) async -> IngestOutcome {
        await queue.run("delivery \(delivery.transactionID)") {
            do throws(JournalError) {
                return try await self.process(delivery, from: source)
            } catch {
                await self.logEvent(
                    .journalFailed, delivery.productID, transactionID: delivery.transactionID,
                    detail: error.description
                )
                return .notRecorded(error)
            }
        }
    }

    private func process(
        _ delivery: SignedTransaction, from source: DeliverySource
    ) async throws(JournalError) -> IngestOutcome {
        let entry = try await journal.observe(delivery, from: source, at: clock())
        let transaction: Transaction
        switch await verify(delivery) {
        case .verified(let payload): transaction = payload
        case .unverified(let failure) where failure.code == .purchasePending:
            return try await hold(delivery, failure)
        case .unverified(let failure):
            logEvent(
                .unverified, delivery.productID, transactionID: delivery.transactionID, detail: failure.description)
            // A retryable failure is not quarantined. A recorded entry stays recorded when an objection arrives later.
            if !failure.isRetryable, entry.stage < .recorded {
                try await journal.quarantine(jws: delivery.jws, because: failure.code)
            }
            return .unverified(failure)
        }
        if entry.stage < .verified || entry.quarantineReason != nil {
            try await journal.markVerified(jws: delivery.jws)
        }
        if let account, let owner = transaction.appAccountToken, owner != account {
            return conflict(transaction, .belongsToAnotherAccount)
        }
        let outcome = try await journal.record(
            transaction, jws: delivery.jws, for: transaction.appAccountToken ?? account
        )
        if case .conflict(let reason) = outcome { return conflict(transaction, reason) }
        let isNew = outcome != .unchanged
        if source == .entitlement { await recordListing(of: transaction) }
        // Also if an earlier run was killed after it had recorded the transaction.
        if entry.stage < .granted { await finishRecording(transaction) }
        guard try await grant(transaction, jws: delivery.jws, isGranted: entry.stage >= .granted) else {
            return .recorded(transaction, isNew: isNew)
        }
        // A store that still lists a finished transaction as unfinished has missed the first call.
        if source.awaitsFinish, entry.stage < .finished || source == .unfinished {
            try await finish(transaction, jws: delivery.jws)
        }
        return .recorded(transaction, isNew: isNew)
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
        if case .play(let purchase) = delivery.content { return await verify(purchase, jws) }
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

// MARK: - Grant and finish

extension PurchaseService {
    /// Lets the fulfiller grant the purchase once, or revoke it; returns false if the fulfiller fails.
    ///
    /// Two transaction ids can identify one purchase, so grants of the same purchase run one after the other, and each
    /// considers all recorded versions.
    private func grant(
        _ transaction: Transaction, jws: String, isGranted: Bool
    ) async throws(JournalError) -> Bool {
        guard !isGranted else { return true }
        let key = transaction.purchaseKey
        let result: Result<Bool, JournalError> = await queue.run("purchase \(key)") {
            do throws(JournalError) {
                return .success(try await self.fulfil(transaction, jws: jws, key))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func fulfil(
        _ transaction: Transaction, jws: String, _ key: PurchaseKey
    ) async throws(JournalError) -> Bool {
        var latest = transaction
        for entry in try await journal.recordedEntries(of: key) {
            guard let version = await verify(entry.transaction).verifiedPayload else { continue }
            if version.isLater(than: latest) { latest = version }
        }
        let required: Fulfilment = latest.isRevoked ? .revoked : .granted
        let done = try await journal.fulfilment(of: key)
        // A purchase that was never granted is not revoked.
        if done != required, done != nil || required == .granted {
            do {
                try await fulfiller.fulfil(FulfilmentOrder(fulfilment: required, transaction: latest, key: key))
            } catch {
                logEvent(.notFulfilled, latest.productID, transactionID: latest.id, detail: "\(error)")
                return false
            }
        }
        try await journal.markGranted(jws: jws, required, of: key)
        return true
    }

    private func finish(_ transaction: Transaction, jws: String) async throws(JournalError) {
        do throws(StoreError) {
            try await store.finish(transactionID: transaction.id)
        } catch {
            logEvent(.notFinished, transaction.productID, transactionID: transaction.id, detail: error.description)
            return
        }
        try await journal.markFinished(jws: jws)
    }
}

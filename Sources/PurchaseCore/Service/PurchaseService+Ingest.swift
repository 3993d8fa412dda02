internal import ReceiptTypes

// The one way by which a transaction comes in.
extension PurchaseService {
    /// Takes in one delivery; two deliveries of one transaction wait for each other.
    func ingest(_ transaction: SignedTransaction, from source: DeliverySource) async -> IngestOutcome {
        await queue.run("delivery \(transaction.transactionID)") {
            do throws(JournalError) {
                return try await self.process(transaction, from: source)
            } catch {
                await self.note(
                    .journalFailed, transaction.productID, transactionID: transaction.transactionID,
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
        switch await judge(delivery) {
        case .verified(let payload): transaction = payload
        case .unverified(let failure):
            note(
                .unverified, delivery.productID, transactionID: delivery.transactionID, detail: failure.description)
            // What may be verified later is not put away; what is recorded is not taken back by a worse copy.
            if !failure.isRetryable, entry.stage < .recorded {
                try await journal.quarantine(jws: delivery.jws, because: failure.code)
            }
            return .refused(failure)
        }
        if entry.stage < .verified || entry.refusal != nil { try await journal.markVerified(jws: delivery.jws) }
        if let account, let owner = transaction.appAccountToken, owner != account {
            return conflict(transaction, .belongsToAnotherAccount)
        }
        let outcome = try await journal.record(
            transaction, jws: delivery.jws, for: transaction.appAccountToken ?? account
        )
        if case .conflict(let reason) = outcome { return conflict(transaction, reason) }
        let isNew = outcome != .unchanged
        // Also where an earlier run recorded it and may have come no further.
        if entry.stage < .granted { await noteRecorded(transaction) }
        guard try await grant(transaction, jws: delivery.jws, isGranted: entry.stage >= .granted) else {
            return .recorded(transaction, isNew: isNew)
        }
        // A store that still lists it as unfinished has not heard that it is done.
        if source.awaitsFinish, entry.stage < .finished || source == .unfinished {
            try await finish(transaction, jws: delivery.jws)
        }
        return .recorded(transaction, isNew: isNew)
    }

    private func conflict(_ transaction: Transaction, _ reason: RecordConflict) -> IngestOutcome {
        note(.conflict, transaction.productID, transactionID: transaction.id, detail: reason.rawValue)
        return .conflict(transaction, reason)
    }

    private func noteRecorded(_ transaction: Transaction) async {
        note(.recorded, transaction.productID, transactionID: transaction.id, detail: transaction.type.rawValue)
        let now = clock()
        await remember { memory in
            memory.clock.noteSignature(transaction.signedDate, clock: now)
            memory.pending.removeAll { $0.productID.isIdentical(to: transaction.productID) }
        }
    }

    /// Hands over what the purchase gives, or takes it back, once; false where that has to be tried again.
    ///
    /// Two ids can stand for one purchase, so this waits for whatever is done for the same purchase, and looks at all that
    /// is recorded about it.
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
        var current = transaction
        for entry in try await journal.recordedEntries(of: key) {
            guard let version = await judge(entry.transaction).verifiedPayload else { continue }
            if version.isLater(than: current) { current = version }
        }
        let due: Fulfilment = current.isRevoked ? .revoked : .granted
        let done = try await journal.fulfilment(of: key)
        // What was never handed over needs not be taken back.
        if done != due, done != nil || due == .granted {
            do {
                try await fulfiller.fulfil(FulfilmentOrder(fulfilment: due, transaction: current, key: key))
            } catch {
                note(.notFulfilled, current.productID, transactionID: current.id, detail: "\(error)")
                return false
            }
        }
        try await journal.markGranted(jws: jws, due, of: key)
        return true
    }

    private func finish(_ transaction: Transaction, jws: String) async throws(JournalError) {
        do throws(StoreError) {
            try await store.finish(transactionID: transaction.id)
        } catch {
            note(.notFinished, transaction.productID, transactionID: transaction.id, detail: error.description)
            return
        }
        try await journal.markFinished(jws: jws)
    }
}

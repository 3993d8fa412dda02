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
    ///
    /// - Parameter buyer: The user that made the purchase, if it is the answer to one. The user may have changed since.
    func ingest(
        _ delivery: SignedTransaction, from source: DeliverySource, by buyer: AppUser? = nil
    ) async -> IngestOutcome {
        await queue.run("delivery \(delivery.transactionID)") {
            do throws(JournalError) {
                do throws(JournalError) {
                    return try await self.process(delivery, from: source, by: buyer)
                } catch {
                    // Another service over this journal has merged the entry with another one in between.
                    guard error.code == .outOfOrder else { throw error }
                    return try await self.process(delivery, from: source, by: buyer)
                }
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
        _ delivery: SignedTransaction, from source: DeliverySource, by buyer: AppUser?
    ) async throws(JournalError) -> IngestOutcome {
        var entry = try await journal.observe(delivery, from: source, at: clock())
        let transaction: Transaction
        switch await verify(delivery) {
        case .verified(let payload): transaction = payload
        case .unverified(let failure) where failure.code == .purchasePending:
            return try await hold(delivery, failure, by: buyer)
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
            entry = try await journal.markVerified(transaction, jws: delivery.jws)
        }
        // The entry has another JWS if a later signature of the same facts was delivered before.
        let jws = entry.transaction.jws
        let owner = transaction.appAccountToken ?? (buyer ?? user).account
        guard user.mayOwn(owner) else { return conflict(transaction, .belongsToAnotherAccount) }
        let outcome = try await journal.record(transaction, jws: jws, for: owner)
        if case .conflict(let reason) = outcome { return conflict(transaction, reason) }
        let isNew = outcome != .unchanged
        if source == .entitlement { await recordListing(of: transaction) }
        // Also if an earlier run was killed after it had recorded the transaction.
        if entry.stage < .granted { await finishRecording(transaction) }
        guard try await grant(transaction, jws: jws, isGranted: entry.stage >= .granted) else {
            return .recorded(transaction, isNew: isNew)
        }
        // A store that still lists a finished transaction as unfinished has missed the first call.
        if source.awaitsFinish, entry.stage < .finished || source == .unfinished {
            try await finish(transaction, jws: jws)
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
        questions[ExactString(transaction.id)] = lastQuestion
        let now = clock()
        await updateMemory { [user] memory in
            memory.clock.recordSignature(transaction.signedDate, clock: now)
            memory.pending.removeAll { $0.productID.isIdentical(to: transaction.productID) && user.maySee($0.account) }
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
    /// The time, in milliseconds, for which a service alone may hand a purchase over: one minute.
    ///
    /// If a service is killed in between, another one, or the next launch, can repeat the order after this time.
    public static let claimDuration: Int64 = 60_000

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
        var order = try await requiredOrder(for: transaction, key)
        if try await isDue(order) {
            let now = clock()
            let end = now.adding(milliseconds: Self.claimDuration)
            guard let claim = try await journal.claimFulfilment(of: key, from: now, until: end) else {
                logEvent(
                    .notFulfilled, transaction.productID, transactionID: transaction.id,
                    detail: "another service is handing the purchase over")
                return false
            }
            // Read again: another service can have handed the purchase over before the claim was made.
            order = try await requiredOrder(for: transaction, key)
            if try await isDue(order) {
                do {
                    try await fulfiller.fulfil(order)
                } catch {
                    logEvent(
                        .notFulfilled, order.transaction.productID, transactionID: order.transaction.id,
                        detail: "\(error)")
                    // A claim that cannot be released ends by itself.
                    try? await journal.release(claim)
                    return false
                }
            }
        }
        try await markGranted(transaction, jws: jws, order.fulfilment, of: key)
        return true
    }

    /// Marks an entry as granted; if another service has merged it in between, marks the entry that has its facts now.
    private func markGranted(
        _ transaction: Transaction, jws: String, _ fulfilment: Fulfilment, of key: PurchaseKey
    ) async throws(JournalError) {
        do throws(JournalError) {
            try await journal.markGranted(jws: jws, fulfilment, of: key)
        } catch {
            guard error.code == .outOfOrder else { throw error }
            for entry in try await journal.recordedEntries(of: key) {
                let version = await verify(entry.transaction).verifiedPayload
                guard version?.facts.isIdentical(to: transaction.facts) == true else { continue }
                return try await journal.markGranted(jws: entry.transaction.jws, fulfilment, of: key)
            }
            throw error
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
        return done != order.fulfilment && (done != nil || order.fulfilment == .granted)
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

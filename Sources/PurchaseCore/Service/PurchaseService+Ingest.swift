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

    /// The transaction, if it is recorded.
    var recorded: Transaction? {
        if case .recorded(let transaction, _) = self { transaction } else { nil }
    }

    /// Whether the verifier or the journal has not answered in time.
    var hasTimedOut: Bool {
        switch self {
        case .unverified(let failure): failure.isTimeout
        case .notRecorded(let error): error.code == .timedOut
        case .recorded, .conflict: false
        }
    }
}

// MARK: - Observe, verify, record

extension PurchaseService {
    /// Ingests a delivery: every transaction from every source takes this path.
    ///
    /// It returns when the transaction is recorded. The hand-over goes on in a task of its own; ``isHandedOver(_:)``
    /// waits for it.
    ///
    /// - Parameters:
    ///   - buyer: The user that made the purchase, if it is the answer to one. The user may have changed since.
    ///     `signedOut` if nothing says for whom the purchase is.
    ///   - question: The number of the last question when the store was asked for a list that has the delivery.
    func ingest(
        _ delivery: SignedTransaction, from source: DeliverySource, by buyer: AppUser? = nil, in question: Int? = nil
    ) async -> IngestOutcome {
        do throws(JournalError) {
            do throws(JournalError) {
                return try await process(delivery, from: source, by: buyer, in: question)
            } catch {
                // Another service over this journal has merged the entry with another one in between.
                guard error.code == .outOfOrder else { throw error }
                return try await process(delivery, from: source, by: buyer, in: question)
            }
        } catch {
            logEvent(
                .journalFailed, delivery.productID, transactionID: delivery.transactionID,
                error: error
            )
            retryLater(delivery, from: source, by: buyer, nil)
            return .notRecorded(error)
        }
    }

    /// Ingests the deliveries of a list, and returns the outcome of each.
    ///
    /// After a verifier or a journal that has not answered, it is not asked again: one after the other, each of many
    /// deliveries would take its deadline.
    func ingestAll(
        _ deliveries: [SignedTransaction], from source: DeliverySource, by buyer: AppUser? = nil, in question: Int
    ) async -> [IngestOutcome] {
        var outcomes: [IngestOutcome] = []
        var unanswered: JournalError?
        for (delivery, result) in zip(deliveries, await verifyAll(deliveries)) {
            if let unanswered {
                outcomes.append(.notRecorded(unanswered))
            } else if let failure = result.failure, failure.isTimeout {
                outcomes.append(.unverified(failure))
            } else {
                let outcome = await ingest(delivery, from: source, by: buyer, in: question)
                if case .notRecorded(let error) = outcome, error.code == .timedOut { unanswered = error }
                outcomes.append(outcome)
            }
        }
        return outcomes
    }

    private func process(
        _ delivery: SignedTransaction, from source: DeliverySource, by buyer: AppUser?, in question: Int?
    ) async throws(JournalError) -> IngestOutcome {
        let earlyResult = user == .signedOut ? await verify(delivery) : nil
        let isWritten = mayWrite(delivery, from: source, earlyResult)
        let observed = isWritten ? try await journal.observe(delivery, from: source, at: clock()) : nil
        let result = if let earlyResult { earlyResult } else { await verify(delivery) }
        let transaction: Transaction
        switch result {
        case .verified(let payload): transaction = payload
        case .unverified(let failure) where failure.code == .purchasePending:
            return try await hold(delivery, failure, by: buyer, isWritten: isWritten)
        case .unverified(let failure):
            // The log is written too.
            logEvent(
                .unverified, delivery.productID, transactionID: observed?.transaction.transactionID, error: failure)
            unverifiedSinceCompaction? += 1
            // A retryable failure is not quarantined. A recorded entry stays recorded when an objection arrives later.
            if failure.isRetryable {
                if !failure.isOfPlatform { retryLater(delivery, from: source, by: buyer, nil) }
            } else if let observed, observed.stage < .recorded {
                try await quarantine(delivery, failure.code)
            }
            return .unverified(failure)
        }
        let owner = try await owner(of: transaction, from: source, by: buyer)
        unwritten[ExactString(transaction.facts)] = nil
        guard user.mayOwn(owner) else {
            guard isWritten else {
                unwritten[ExactString(transaction.facts)] = JournalEntry(
                    transaction: delivery, source: source, observedAt: clock(), stage: .verified, account: owner)
                return .conflict(transaction, .belongsToAnotherAccount)
            }
            return conflict(transaction, try await keep(transaction, delivery, from: source, for: owner))
        }
        if let owner, let holder = try await accountOfReceipt(with: transaction), holder != owner {
            _ = try await markVerified(transaction, delivery)
            return conflict(transaction, .belongsToAnotherAccount)
        }
        let (entry, outcome) = try await record(transaction, delivery, from: source, for: owner)
        if case .conflict(let reason) = outcome { return conflict(transaction, reason) }
        let isNew = outcome != .unchanged
        if source == .entitlement { await recordListing(of: transaction, in: question ?? lastQuestion) }
        // It has another JWS than the delivery if a later signature of the same facts was delivered before.
        let kept = entry.transaction
        moveRetry(of: delivery, to: kept, transaction)
        let retry = retries[RetryKey(transaction)]
        // An attempt that failed to finish the transaction is made up for, wherever the transaction comes from now.
        let finishing = retry.map { $0.source.awaitsFinish ? $0.source : source } ?? source
        // Also if an earlier run was killed after it had recorded the transaction, or if another service over this
        // journal was faster. Concurrent deliveries of one transaction all find such an entry, but only the first one
        // announces it.
        let isUnfinished = entry.stage < .granted
        let isUnheard =
            (isUnfinished || source.bringsNews) && announcedFacts.insert(ExactString(transaction.facts))
        // Before the hand-over, because an entry that is granted is not resumed here after a crash.
        if isNew || isUnheard {
            if isNew || isUnfinished {
                logEvent(
                    .recorded, transaction.productID, transactionID: transaction.id,
                    detail: transaction.type.rawValue)
            }
            await finishRecording(transaction, from: entry.source, of: owner)
            // The handlers are called after the hand-over has begun, so that they can wait for it.
            announce(transaction, of: owner)
        }
        let isListedAgain = entry.stage == .finished && finishing == .unfinished
        if isUnfinished || isListedAgain || finishing.awaitsFinish && entry.stage < .finished {
            startHandOver(
                HandOverRequest(
                    delivery: kept, transaction: transaction, source: finishing, isListedAgain: isListedAgain))
        } else {
            await endRetry(RetryKey(transaction), isHandedOver: true)
        }
        await endWaits(for: transaction, from: source, of: owner)
        return .recorded(transaction, isNew: isNew)
    }

    /// Returns whether a delivery may be written to the journal; see ``signOut()``.
    ///
    /// - Parameter result: The result of its verification, if no account was signed in before.
    private func mayWrite(
        _ delivery: SignedTransaction, from source: DeliverySource, _ result: VerificationResult<Transaction>?
    ) -> Bool {
        guard user == .signedOut else { return true }
        guard source.awaitsFinish else { return false }
        if let transaction = result?.verifiedPayload { return transaction.appAccountToken == nil }
        return UnverifiedDelivery(delivery.content).account == nil
    }

    /// Returns the entries of the journal, and the deliveries that are not written.
    func entries() async throws(JournalError) -> [JournalEntry] { try await journal.entries() + unwritten.values }

    /// Keeps a delivery for an owner that is not signed in: nothing is handed over until that user signs in again.
    ///
    /// An account that the store has signed is read again each time. One that it has not signed is the user that began
    /// the purchase, which only the journal remembers; without a record, the next user would get the purchase.
    private func keep(
        _ transaction: Transaction, _ delivery: SignedTransaction, from source: DeliverySource, for owner: UUIDText?
    ) async throws(JournalError) -> RecordConflict {
        if transaction.appAccountToken == nil, let owner {
            let (_, outcome) = try await record(transaction, delivery, from: source, for: owner)
            if case .conflict(let reason) = outcome { return reason }
            // With the owner's next sign-in it is resumed, and then the handlers receive it.
            announcedFacts.remove(ExactString(transaction.facts))
            // Else the next purchase of another user would be taken for it.
            if outcome != .unchanged {
                let now = clock()
                await updateMemory { $0.removePending(completedBy: transaction, from: source, of: owner, at: now) }
            }
        } else {
            _ = try await markVerified(transaction, delivery)
        }
        return .belongsToAnotherAccount
    }

    /// Moves the entry of a delivery into quarantine, unless another delivery of the same JWS was recorded since.
    func quarantine(
        _ delivery: SignedTransaction, _ code: VerificationFailure.Code
    ) async throws(JournalError) {
        try await changeEntries(of: delivery) { journal throws(JournalError) in
            do throws(JournalError) {
                try await journal.quarantine(signedText: delivery.signedText, because: code)
            } catch {
                if error.code != .outOfOrder { throw error }
            }
        }
    }

    private func markVerified(
        _ transaction: Transaction, _ delivery: SignedTransaction
    ) async throws(JournalError) -> JournalEntry {
        try await changeEntries(of: delivery) { journal throws(JournalError) in
            try await journal.markVerified(transaction, signedText: delivery.signedText)
        }
    }

    /// Records a verified delivery, and returns its entry as it was before.
    func record(
        _ transaction: Transaction, _ delivery: SignedTransaction, from source: DeliverySource, for owner: UUIDText?
    ) async throws(JournalError) -> (JournalEntry, RecordOutcome) {
        let now = clock()
        return try await changeEntries(of: delivery) { journal throws(JournalError) in
            var entry = try await journal.observe(delivery, from: source, at: now)
            if entry.stage < .verified || entry.quarantineReason != nil {
                entry = try await journal.markVerified(transaction, signedText: delivery.signedText)
            }
            let outcome = try await journal.record(transaction, signedText: entry.transaction.signedText, for: owner)
            // Before another delivery of the transaction is processed.
            if outcome == .inserted || outcome == .merged { await self.noteRecording(of: transaction) }
            return (entry, outcome)
        }
    }

    /// Changes the journal's entries of one transaction; changes of the same transaction run one after the other.
    private func changeEntries<Value: Sendable>(
        of delivery: SignedTransaction,
        _ body: @escaping @Sendable (any PurchaseLedger) async throws(JournalError) -> Value
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

    private func noteRecording(of transaction: Transaction) {
        announcedFacts.insert(ExactString(transaction.facts))
    }

    private func conflict(_ transaction: Transaction, _ reason: RecordConflict) -> IngestOutcome {
        if loggedConflicts.insert(ExactString("\(reason.rawValue) \(transaction.facts)")).inserted {
            logEvent(.conflict, transaction.productID, transactionID: transaction.id, detail: reason.rawValue)
        }
        return .conflict(transaction, reason)
    }

    /// Updates the clock marks for a recorded transaction, and removes the pending purchase that it completes.
    private func finishRecording(_ transaction: Transaction, from source: DeliverySource, of owner: UUIDText?) async {
        questions[ExactString(transaction.id)] = lastQuestion
        await updateMemory { [user, clock, uptime] memory in
            let now = clock()
            memory.clock.recordSignature(transaction.signedDate, clock: now, uptime: uptime())
            memory.removePending(
                completedBy: transaction, from: source, of: user == .noAccounts ? nil : owner, at: now)
        }
    }

    /// Verifies a delivery; a delivery with an objection of the store is rejected.
    ///
    /// - Parameter time: The present time; read from the journal by default.
    func verify(
        _ delivery: SignedTransaction, at time: Timestamp? = nil
    ) async -> VerificationResult<Transaction> {
        if let objection = delivery.objection {
            return .unverified(VerificationFailure(code: .storeObjection, actual: objection))
        }
        let signedText = ExactString(delivery.signedText)
        if let known = verified[signedText] { return .verified(known) }
        if case .appReceipt(let receipt) = delivery.content {
            switch await contents(of: receipt, at: time) {
            case .verified(let contents):
                return .verified(Transaction(contents.app, recordedAs: delivery.transactionID))
            case .unverified(let failure): return .unverified(failure)
            }
        }
        let now = if let time { time } else { await currentTime() }
        if case .play(let purchase) = delivery.content { return await verify(purchase, signedText, at: now) }
        switch await verifier.verifyTransaction(delivery.signedText, at: now) {
        case .unverified(let failure): return .unverified(failure)
        case .verified(let payload):
            guard let transaction = Transaction(payload) else {
                return .unverified(VerificationFailure(code: .transactionIncomplete))
            }
            if verifier.hasLastingVerdicts { verified[signedText] = transaction }
            return .verified(transaction)
        }
    }
}

extension DeliverySource {
    /// Whether a delivery that was recorded before can be news for this service, because another one has recorded it.
    ///
    /// The lists of a store have what is recorded each time.
    fileprivate var bringsNews: Bool { self == .purchase || self == .update }
}

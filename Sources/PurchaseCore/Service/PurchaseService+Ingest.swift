internal import ReceiptTypes

/// What the recording of a delivery has done.
struct Recording: Sendable {
    /// The entry of the delivery as it was before it was recorded.
    let entry: LedgerEntry
    let outcome: RecordOutcome
    /// The claim under which the purchase is handed over; nil if none was made.
    var claim: FulfilmentClaim?
}

// MARK: - Verify, record

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
    ) async -> Intake.Outcome {
        do throws(LedgerError) {
            do throws(LedgerError) {
                return try await process(delivery, from: source, by: buyer, in: question)
            } catch {
                // Another service over this ledger has merged the entry with another one in between.
                guard error.code == .outOfOrder else { throw error }
                return try await process(delivery, from: source, by: buyer, in: question)
            }
        } catch {
            logEvent(
                .ledgerFailed, delivery.productID, transactionID: delivery.transactionID,
                error: error
            )
            handle(.notRecorded(delivery, from: source, by: buyer))
            return .notRecorded(error)
        }
    }

    /// Ingests the deliveries of a list, and returns the outcome of each.
    ///
    /// After a verifier or a ledger that has not answered, it is not asked again: one after the other, each of many
    /// deliveries would take its deadline.
    func ingestAll(
        _ deliveries: [SignedTransaction], from source: DeliverySource, by buyer: AppUser? = nil, in question: Int
    ) async -> [Intake.Outcome] {
        var outcomes: [Intake.Outcome] = []
        var unanswered: LedgerError?
        let results = await verifyAll(deliveries)
        let rows = await settledRows(of: deliveries, from: source)
        for (index, (delivery, result)) in zip(deliveries, results).enumerated() {
            if let unanswered {
                outcomes.append(.notRecorded(unanswered))
            } else if let failure = result.failure, failure.isTimeout {
                outcomes.append(.unverified(failure))
            } else if let transaction = result.verifiedPayload, let row = rows[index],
                !handOvers.isRetried(delivery, transaction), intake.isUnchanged(transaction, row, for: user)
            {
                if source == .entitlement { await recordListing(of: transaction, in: question) }
                await endWaits(for: transaction, from: source, of: row.account)
                outcomes.append(.recorded(transaction, isNew: false))
            } else {
                let outcome = await ingest(delivery, from: source, by: buyer, in: question)
                if case .notRecorded(let error) = outcome, error.code == .timedOut { unanswered = error }
                outcomes.append(outcome)
            }
        }
        return outcomes
    }

    /// Returns the rows of the deliveries of a list that are handed over, by the index of the delivery.
    private func settledRows(
        of deliveries: [SignedTransaction], from source: DeliverySource
    ) async -> [Int: DeliveryRow] {
        guard !source.awaitsFinish, !deliveries.isEmpty else { return [:] }
        let rows = await logFailure { [ledger] () throws(LedgerError) in
            try await ledger.read(.readDeliveries) { (rows) throws(LedgerError) -> [Int: DeliveryRow] in
                var settled: [Int: DeliveryRow] = [:]
                for (index, delivery) in deliveries.enumerated() {
                    let row = try rows.delivery(rows.digest(of: delivery.signedText))
                    if let row, row.stage >= .granted, row.quarantineReason == nil { settled[index] = row }
                }
                return settled
            }
        }
        return rows ?? [:]
    }

    private func process(
        _ delivery: SignedTransaction, from source: DeliverySource, by buyer: AppUser?, in question: Int?
    ) async throws(LedgerError) -> Intake.Outcome {
        let result = await verify(delivery)
        let isWritten = Intake.mayWrite(delivery, from: source, result, by: user)
        let transaction: Transaction
        switch result {
        case .verified(let payload): transaction = payload
        case .unverified(let failure) where failure.code == .purchasePending:
            return try await hold(delivery, failure, from: source, by: buyer, isWritten: isWritten)
        case .unverified(let failure):
            let observed = isWritten ? try await observe(delivery, from: source, rejectedBy: failure) : nil
            // The log is written too.
            logEvent(
                .unverified, delivery.productID, transactionID: observed?.transaction.transactionID, error: failure)
            intake.noteUnverified()
            if failure.isRetryable, !failure.isOfPlatform {
                handle(.notRecorded(delivery, from: source, by: buyer))
            }
            return .unverified(failure)
        }
        let owner = try await owner(of: transaction, from: source, by: buyer)
        intake.forgetUnwritten(transaction)
        guard user.mayOwn(owner) else {
            guard isWritten else {
                intake.keepUnwritten(
                    LedgerEntry(
                        transaction: delivery, source: source, observedAt: environment.clock(), stage: .verified,
                        account: owner), transaction)
                return .conflict(transaction, .belongsToAnotherAccount)
            }
            return conflict(transaction, try await keep(transaction, delivery, from: source, for: owner))
        }
        if let owner, let holder = try await accountOfReceipt(with: transaction), holder != owner {
            try await markVerified(transaction, delivery, from: source)
            return conflict(transaction, .belongsToAnotherAccount)
        }
        let recording = try await record(transaction, delivery, from: source, for: owner, handsOver: true)
        if case .conflict(let reason) = recording.outcome { return conflict(transaction, reason) }
        let entry = recording.entry
        let isNew = recording.outcome != .unchanged
        if source == .entitlement { await recordListing(of: transaction, in: question ?? questions.last) }
        // It has another JWS than the delivery if a later signature of the same facts was delivered before.
        let kept = RecordedDelivery(entry.transaction, transaction)
        let isUnfinished = entry.stage < .granted
        let isUnheard = announcements.isNews(kept, isUnfinished: isUnfinished, from: source)
        // Before the hand-over, because an entry that is granted is not resumed here after a crash.
        if isNew || isUnheard {
            if isNew || isUnfinished {
                logEvent(
                    .recorded, transaction.productID, transactionID: transaction.id,
                    detail: transaction.type.rawValue)
            }
            questions.noteRecording(of: transaction.id)
            // The handlers are called after the hand-over has begun, so that they can wait for it.
            announce(transaction, of: owner)
        }
        handle(
            .recorded(
                HandOvers.Recorded(
                    delivery, keptAs: kept, from: source, stage: entry.stage, claim: recording.claim)))
        await endWaits(for: transaction, from: source, of: owner)
        return .recorded(transaction, isNew: isNew)
    }

    /// Returns the entries of the ledger, and the deliveries that are not written.
    func entries() async throws(LedgerError) -> [LedgerEntry] { try await ledger.entries() + intake.unwrittenEntries }

    /// Keeps a delivery for an owner that is not signed in: nothing is handed over until that user signs in again.
    ///
    /// An account that the store has signed is read again each time. One that it has not signed is the user that began
    /// the purchase, which only the ledger remembers; without a record, the next user would get the purchase.
    private func keep(
        _ transaction: Transaction, _ delivery: SignedTransaction, from source: DeliverySource, for owner: UUIDText?
    ) async throws(LedgerError) -> RecordConflict {
        if transaction.appAccountToken == nil, let owner {
            let outcome = try await record(transaction, delivery, from: source, for: owner, handsOver: false).outcome
            if case .conflict(let reason) = outcome { return reason }
            // With the owner's next sign-in it is resumed, and then the handlers receive it.
            announcements.forget(transaction)
            // Else the next purchase of another user would be taken for it.
            if outcome != .unchanged {
                let now = environment.clock()
                await updateMemory { $0.removePending(completedBy: transaction, from: source, of: owner, at: now) }
            }
        } else {
            try await markVerified(transaction, delivery, from: source)
        }
        return .belongsToAnotherAccount
    }

    /// Stores a rejected delivery: in quarantine if the rejection is final, unless the entry was recorded before.
    ///
    /// An objection that arrives later does not undo what is recorded.
    private func observe(
        _ delivery: SignedTransaction, from source: DeliverySource, rejectedBy failure: VerificationFailure
    ) async throws(LedgerError) -> LedgerEntry {
        let now = environment.clock()
        return try await changeEntries(of: delivery) { ledger throws(LedgerError) in
            try await ledger.transact(failure.isRetryable ? .observe : .quarantine) {
                (rows: inout any LedgerRows) throws(LedgerError) in
                let entry = try rows.observe(delivery, from: source, at: now)
                if !failure.isRetryable, entry.stage < .recorded {
                    try rows.quarantine(signedText: delivery.signedText, because: failure.code)
                }
                return entry
            }
        }
    }

    /// Stores a verified delivery that is not recorded for the present user.
    private func markVerified(
        _ transaction: Transaction, _ delivery: SignedTransaction, from source: DeliverySource
    ) async throws(LedgerError) {
        let now = environment.clock()
        try await changeEntries(of: delivery) { ledger throws(LedgerError) in
            try await ledger.transact(.verify) { (rows: inout any LedgerRows) throws(LedgerError) in
                _ = try rows.observe(delivery, from: source, at: now)
                _ = try rows.markVerified(transaction, signedText: delivery.signedText)
            }
        }
    }

    /// Records a verified delivery in one commit, with what follows from it: the clock marks, the pending purchase that
    /// it completes, and the beginning of its hand-over.
    ///
    /// - Parameter handsOver: Whether the purchase is the present user's, so that it is handed over now.
    func record(
        _ transaction: Transaction, _ delivery: SignedTransaction, from source: DeliverySource, for owner: UUIDText?,
        handsOver: Bool
    ) async throws(LedgerError) -> Recording {
        let hasFulfiller = !(fulfiller is NoFulfilment)
        let pendingOwner = user == .noAccounts ? nil : owner
        return try await changeEntries(of: delivery) { [environment] ledger throws(LedgerError) in
            let recording = try await ledger.transact(.record) {
                (rows: inout any LedgerRows) throws(LedgerError) -> Recording in
                let now = environment.clock()
                var entry = try rows.observe(delivery, from: source, at: now)
                if entry.stage < .verified || entry.quarantineReason != nil {
                    entry = try rows.markVerified(transaction, signedText: delivery.signedText)
                }
                let text = entry.transaction.signedText
                let outcome = try rows.record(transaction, signedText: text, for: owner, at: now)
                var recording = Recording(entry: entry, outcome: outcome)
                guard handsOver, !outcome.isConflict else { return recording }
                if outcome != .unchanged || entry.stage < .granted || source.bringsNews {
                    _ = try rows.updateMemory { memory in
                        memory.clock.recordSignature(transaction.signedDate, clock: now, uptime: environment.uptime())
                        memory.removePending(
                            completedBy: transaction, from: entry.source, of: pendingOwner, at: now)
                    }
                }
                if outcome != .unchanged {
                    recording.claim = try rows.beginHandOver(
                        of: transaction, signedText: text, hasFulfiller: hasFulfiller, from: now)
                }
                return recording
            }
            // Before another delivery of the transaction is processed.
            if recording.outcome == .inserted || recording.outcome == .merged {
                await self.noteRecording(of: transaction)
            }
            return recording
        }
    }

    /// Changes the ledger's entries of one transaction; changes of the same transaction run one after the other.
    func changeEntries<Value: Sendable>(
        of delivery: SignedTransaction,
        _ body: @escaping @Sendable (any PurchaseLedger) async throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let result = await queue.run("delivery \(delivery.transactionID)") {
            [ledger] () -> Result<Value, LedgerError> in
            do throws(LedgerError) {
                return .success(try await body(ledger))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func noteRecording(of transaction: Transaction) { announcements.note(transaction) }

    private func conflict(_ transaction: Transaction, _ reason: RecordConflict) -> Intake.Outcome {
        if announcements.isNews(reason, of: transaction) {
            logEvent(.conflict, transaction.productID, transactionID: transaction.id, detail: reason.rawValue)
        }
        return .conflict(transaction, reason)
    }

    /// Verifies a delivery; a delivery with an objection of the store is rejected.
    ///
    /// - Parameter time: The present time; read from the ledger by default.
    func verify(
        _ delivery: SignedTransaction, at time: Timestamp? = nil
    ) async -> VerificationResult<Transaction> {
        if let objection = delivery.objection {
            return .unverified(VerificationFailure(code: .storeObjection, actual: objection))
        }
        if let known = intake.transaction(of: delivery.signedText) { return .verified(known) }
        if case .appReceipt(let receipt) = delivery.content {
            switch await contents(of: receipt, at: time) {
            case .verified(let contents):
                return .verified(Transaction(contents.app, recordedAs: delivery.transactionID))
            case .unverified(let failure): return .unverified(failure)
            }
        }
        let now = if let time { time } else { await currentTime() }
        if case .play(let purchase) = delivery.content { return await verify(purchase, delivery.signedText, at: now) }
        switch await verifier.verifyTransaction(delivery.signedText, at: now) {
        case .unverified(let failure): return .unverified(failure)
        case .verified(let payload):
            guard let transaction = Transaction(payload) else {
                return .unverified(VerificationFailure(code: .transactionIncomplete))
            }
            if verifier.hasLastingVerdicts { intake.keep(transaction, of: delivery.signedText) }
            return .verified(transaction)
        }
    }
}

public import ReceiptTypes

extension PurchaseService {
    /// Returns the transactions of the store's current entitlements, each with its verification result.
    ///
    /// If the store cannot be reached, or has not answered within ``PurchaseDeadlines/queryMilliseconds``, it returns
    /// the recorded transactions that are in force. A late answer is recorded, and the listeners receive what is new.
    public func currentEntitlements() async -> [VerificationResult<Transaction>] {
        let answer = await answer(within: deadlines.answerMilliseconds) { await self.listedEntitlements() }
        switch answer {
        case .some(let listed?): return listed
        case .some(nil): break
        case nil: logTimeout()
        }
        // What the verifier does not answer about now is left out.
        let recorded = Task { [asksVerifier = !verifier.isBusy] in
            await BoundedVerifier.$isAsked.withValue(asksVerifier) { await self.recordedEntitlements() }
        }
        return await environment.timer.value(of: recorded, within: deadlines.recordedMilliseconds) ?? []
    }

    private func logTimeout() {
        logEvent(.storeFailed, error: StoreError.timedOut("purchases", deadlines.answerMilliseconds))
    }

    /// Returns the transactions of the store's current entitlements; nil if the store has failed.
    private func listedEntitlements() async -> [VerificationResult<Transaction>]? {
        let (changes, question) = (userChanges, questions.last)
        do throws(StoreError) {
            var results: [VerificationResult<Transaction>] = []
            let listed = try await store.currentEntitlements()
            for (delivery, outcome) in zip(listed, await ingestAll(listed, from: .entitlement, in: question)) {
                switch outcome {
                case .recorded(let transaction, _): results.append(.verified(await withPaidPeriod(transaction)))
                case .unverified(let failure): results.append(.unverified(failure))
                case .conflict(_, let conflict): results.append(.unverified(conflict.failure))
                case .notRecorded: results.append(await verify(delivery))
                }
            }
            // The user may have changed while the store answered; the next user sees nothing of the former one.
            return changes == userChanges ? results : await listedEntitlements()
        } catch {
            logEvent(.storeFailed, error: error)
            return nil
        }
    }

    private func recordedEntitlements() async -> [VerificationResult<Transaction>] {
        // An app that makes no other call offline must not be a way around the marks.
        await recordTime(latestSignature: nil, hasStoreAnswered: false)
        let memory = await memoryOrLog() ?? LedgerMemory()
        let now = memory.clock.time(byClock: environment.clock())
        let earliestEnd = memory.clock.earliestConfirmedEnd(isStoreReachable: false)
        let recorded = await logFailure { () throws(LedgerError) in try await recordedTransactions() }
        return (recorded ?? []).latestVersions().filter {
            $0.isCurrentEntitlement(at: now, earliestEnd: earliestEnd) && memory.absences.isConfirmed($0) != true
        }.map { .verified($0) }
    }

    /// Returns everything that is recorded for the account, updated from the store if it answers within
    /// ``PurchaseDeadlines/queryMilliseconds``.
    public func evidence() async throws(LedgerError) -> PurchaseEvidence { try await evidence { _ in } }

    /// Returns everything that is recorded for the account, updated from the store if it answers in time.
    ///
    /// It returns within ``PurchaseDeadlines/queryMilliseconds``, however many questions it asks, even if neither the
    /// ledger nor the verifier answers.
    ///
    /// - Parameter late: Receives the complete evidence if the store has answered everything after that.
    public func evidence(
        late: @escaping @Sendable (PurchaseEvidence) async -> Void
    ) async throws(LedgerError) -> PurchaseEvidence {
        let answer = await answer(within: deadlines.answerMilliseconds) {
            await self.updatedEvidence()
        } late: { answer in
            if case .success(let evidence) = answer, evidence.isStoreReachable { await late(evidence) }
        }
        if let answer { return try answer.get() }
        logTimeout()
        if let recorded = try await rememberedEvidence(asksVerifier: !verifier.isBusy) { return recorded }
        throw LedgerError(.timedOut, "the ledger did not answer within \(deadlines.recordedMilliseconds) ms")
    }

    /// Returns everything that is recorded for the account, without asking the store; nil if the ledger or the verifier
    /// takes longer than a tenth of ``PurchaseDeadlines/queryMilliseconds``.
    ///
    /// It counts as an observation of the clock, so that launches that end before the store's deadline are no way
    /// around the ``ClockMarks``.
    public func rememberedEvidence() async throws(LedgerError) -> PurchaseEvidence? {
        try await rememberedEvidence(asksVerifier: true)
    }

    private func rememberedEvidence(asksVerifier: Bool) async throws(LedgerError) -> PurchaseEvidence? {
        let evidence = Task {
            await BoundedVerifier.$isAsked.withValue(asksVerifier) { await self.recordedEvidence() }
        }
        return try await environment.timer.value(of: evidence, within: deadlines.recordedMilliseconds)?.get()
    }

    private func recordedEvidence() async -> Result<PurchaseEvidence, LedgerError> {
        await evidence { () throws(LedgerError) in
            await recordTime(latestSignature: nil, hasStoreAnswered: false)
            return StoreAnswer(content: try await ledgerContent(), listedTransactionIDs: [], hasAnswered: false)
        }
    }

    /// Asks the store, and returns everything that is recorded then.
    private func updatedEvidence() async -> Result<PurchaseEvidence, LedgerError> {
        await compactIfDue()
        return await evidence { () throws(LedgerError) in try await askStore() }
    }

    private func evidence(
        of answer: () async throws(LedgerError) -> StoreAnswer
    ) async -> Result<PurchaseEvidence, LedgerError> {
        do throws(LedgerError) {
            while true {
                let changes = userChanges
                let evidence = try await evidence(of: try await answer())
                // The user may have changed while the store answered; the next user sees nothing of the former one.
                if changes == userChanges { return .success(evidence) }
            }
        } catch {
            return .failure(error)
        }
    }

    private func evidence(of answer: StoreAnswer) async throws(LedgerError) -> PurchaseEvidence {
        // A renewal info does not name its account, so it belongs to the account of its subscription's transactions.
        let subscriptions = Set(answer.content.recorded.map { ExactString($0.originalID) })
        var renewalInfos: [RenewalInfo] = []
        var otherRenewalInfos: [RenewalInfo] = []
        let stored = try await storedRenewalInfos(asksVerifier: !answer.hasTimedOut)
        for info in stored.infos {
            if subscriptions.contains(ExactString(info.originalTransactionID)) {
                renewalInfos.append(info)
            } else {
                otherRenewalInfos.append(info)
            }
        }
        if answer.contradicts(environment.clock(), renewalInfos) {
            await updateMemory { $0.clock.recordContradiction() }
        }
        let memory = try await ledger.memory()
        let recordedOthers = try await otherTransactions(in: answer.content)
        let others = recordedOthers.transactions.filter { memory.absences.isConfirmed($0) != true }
        let now = memory.clock.time(byClock: environment.clock(), isStoreReachable: answer.isComplete)
        let recordedIDs = Set(answer.content.recorded.map { ExactString($0.id) })
        return PurchaseEvidence(
            transactions: answer.content.recorded,
            renewalInfos: renewalInfos + playRenewalInfos(answer.content.recorded, memory.playListings),
            listedTransactionIDs: answer.listedTransactionIDs,
            absences: memory.absences.filter { recordedIDs.contains(ExactString($0.transactionID)) },
            clock: memory.clock,
            isStoreReachable: answer.isComplete && stored.isDecided,
            offersUsedByOthers: UsedOffers(by: others, otherRenewalInfos, at: now, isDecided: recordedOthers.isDecided),
            appPurchases: answer.content.appPurchases
        )
    }

    /// Compacts the ledger once in a run, and again after many unverified deliveries, each of which has its own entry.
    ///
    /// A failure does not keep the customer from what is recorded.
    private func compactIfDue() async {
        guard let compaction = intake.beginCompaction() else { return }
        let isCompacted: Void? = await logFailure { [ledger] () throws(LedgerError) in try await ledger.compact() }
        if isCompacted == nil { intake.undo(compaction) }
    }

    /// Ingests the store's current entitlements and subscription statuses, and finds the recorded purchases that it
    /// lacks.
    ///
    /// - Parameter restoring: The user that has restored purchases, which confirms each of its absences at once.
    @discardableResult
    func askStore(restoredBy restoring: AppUser? = nil) async throws(LedgerError) -> StoreAnswer {
        let question = questions.ask()
        let list = await ingestCurrentEntitlements(question)
        let isAnswered = list.map { !$0.hasTimedOut } ?? false
        let statuses = isAnswered ? await renewalStates() : nil
        let hasStatuses = statuses.map { !$0.hasTimedOut } ?? false
        var content = try await ledgerContent()
        func answer(
            listing ids: [String] = [], hasAnswered: Bool = false, isOvertaken: Bool = false
        ) -> StoreAnswer {
            StoreAnswer(
                content: content, listedTransactionIDs: ids, hasAnswered: hasAnswered,
                renewals: statuses ?? RenewalStates(),
                hasTimedOut: content.hasTimedOut || list?.hasTimedOut ?? false || statuses?.hasTimedOut ?? false,
                isOvertaken: isOvertaken)
        }
        await recordTime(latestSignature: content.recorded.lazy.map(\.signedDate).max(), hasStoreAnswered: list != nil)
        guard let list else { return answer() }

        if await recordReplaced(questions.replaced(in: content.recorded, by: list, question), in: question) {
            content = try await ledgerContent()
        }
        let now = await currentTime()
        let known = try await ledger.memory().absences
        var comparison = questions.comparison(of: content.recorded, with: list, in: question, at: now)
        // The user can change while the store answers, and has then restored nothing.
        func isRestore() -> Bool { content.user == restoring }
        if questions.needHistory(comparison, known, isRestore: isRestore()) {
            guard let history = await ingestHistory() else { return answer(listing: list.transactionIDs) }
            questions.noteHistory(for: comparison)
            content = try await ledgerContent()
            comparison = questions.comparison(of: content.recorded, with: list, history, in: question, at: now)
        }
        let isOvertaken = questions.isOvertaken(question)
        if hasStatuses, questions.noteAnswer(to: question) {
            await recordAbsences(known) { [comparison, isRestore = isRestore(), environment] stored in
                stored.updated(
                    byAnswerWithout: comparison.missing, of: comparison.compared, at: now, environment.uptime(),
                    isRestore: isRestore, isListed: comparison.isListed)
            }
        }
        return answer(listing: list.transactionIDs, hasAnswered: hasStatuses, isOvertaken: isOvertaken)
    }

    private func recordTime(latestSignature: Timestamp?, hasStoreAnswered: Bool) async {
        await updateMemory { [environment] memory in
            // Read within the change, so that two changes have them in their own order.
            let (now, uptime) = (environment.clock(), environment.uptime())
            let before = memory.clock
            defer { if memory.clock.saysNothingNew(after: before) { memory.clock = before } }
            if let latestSignature { memory.clock.recordSignature(latestSignature, clock: now, uptime: uptime) }
            if hasStoreAnswered {
                memory.clock.recordStoreAnswer(clock: now, uptime: uptime)
            } else {
                memory.clock.recordClock(now, uptime: uptime)
            }
        }
    }

    /// Changes the stored absences, and logs each one that is new or newly confirmed since the known ones were read.
    ///
    /// The change starts from the absences that are stored now: another service can have confirmed one since.
    private func recordAbsences(
        _ known: [AbsentPurchase], _ change: @escaping @Sendable ([AbsentPurchase]) -> [AbsentPurchase]
    ) async {
        let memory = await updateMemory { $0.absences = change($0.absences) }
        for absence in memory?.absences ?? [] where !known.contains(where: absence.agrees) {
            logEvent(
                .notListed, transactionID: absence.transactionID,
                detail: absence.isConfirmed ? "confirmed; it unlocks nothing" : "not confirmed; it stays in force")
        }
    }

    // MARK: Answers of the store

    /// Ingests the store's subscription statuses; returns nil if the store does not answer.
    private func renewalStates() async -> RenewalStates? {
        do throws(StoreError) {
            return try await ingestSubscriptionStatuses()
        } catch {
            logEvent(.storeFailed, error: error)
            return nil
        }
    }

    /// Ingests the store's current entitlements; returns nil if the store does not answer.
    private func ingestCurrentEntitlements(_ question: Int) async -> ListedPurchases? {
        do throws(StoreError) {
            return await ingest(try await store.currentEntitlements(), from: .entitlement, in: question)
        } catch {
            logEvent(.storeFailed, error: error)
            return nil
        }
    }

    /// Ingests the store's history; returns nil if the store does not answer.
    private func ingestHistory() async -> ListedPurchases? {
        do throws(StoreError) {
            return await ingest(try await store.history(), from: .history, in: questions.last)
        } catch {
            logEvent(.storeFailed, error: error)
            return nil
        }
    }

    private func ingest(
        _ deliveries: [SignedTransaction], from source: DeliverySource, in question: Int
    ) async -> ListedPurchases {
        var purchases = ListedPurchases()
        for (delivery, outcome) in zip(deliveries, await ingestAll(deliveries, from: source, in: question)) {
            purchases.add(delivery, outcome)
        }
        return purchases
    }
}

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
        let (changes, question) = (userChanges, lastQuestion)
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

    /// The number of unverified deliveries after which the ledger is compacted again.
    static let compactionInterval = 100

    /// Compacts the ledger once in a run, and again after many unverified deliveries, each of which has its own entry.
    ///
    /// A failure does not keep the customer from what is recorded.
    private func compactIfDue() async {
        guard unverifiedSinceCompaction.map({ $0 >= Self.compactionInterval }) ?? true else { return }
        let earlier = unverifiedSinceCompaction
        unverifiedSinceCompaction = 0
        let isCompacted: Void? = await logFailure { [ledger] () throws(LedgerError) in try await ledger.compact() }
        if isCompacted == nil { unverifiedSinceCompaction = earlier }
    }

    /// What the store has answered, and what is recorded after it.
    struct StoreAnswer {
        /// What the ledger has for the user.
        var content: LedgerContent
        /// The ids of the recorded transactions that the store lists as current.
        var listedTransactionIDs: [String]
        /// Whether the store has answered every question.
        var hasAnswered: Bool
        /// The renewal infos that the store has, as far as it has answered.
        var renewals = RenewalStates()
        /// Whether nothing is missing that the store has, or that is recorded.
        var isComplete: Bool { hasAnswered && content.isDecided && renewals.isDecided }
        /// Whether the verifier has not answered in time.
        var hasTimedOut = false
        /// Whether a later question was answered before, so that nothing follows from what this answer lacks.
        var isOvertaken = false

        /// Returns whether the store lists a subscription as current that is over by a clock, which is then ahead.
        func contradicts(_ now: Timestamp, _ renewalInfos: [RenewalInfo]) -> Bool {
            let listed = Set(listedTransactionIDs.map(ExactString.init))
            return content.recorded.contains { transaction in
                guard transaction.kind == .autoRenewable, listed.contains(ExactString(transaction.id)),
                    let end = transaction.expiresDate, end < now
                else { return false }
                return !renewalInfos.contains {
                    $0.originalTransactionID.isIdentical(to: transaction.originalID) && $0.isInGracePeriod(at: now)
                }
            }
        }
    }

    /// Ingests the store's current entitlements and subscription statuses, and finds the recorded purchases that it
    /// lacks.
    ///
    /// - Parameter restoring: The user that has restored purchases, which confirms each of its absences at once.
    @discardableResult
    func askStore(restoredBy restoring: AppUser? = nil) async throws(LedgerError) -> StoreAnswer {
        lastQuestion += 1
        let question = lastQuestion
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

        // A purchase that was recorded while the store answered is not compared with its answer.
        func isCompared(_ transaction: Transaction) -> Bool {
            (questions[ExactString(transaction.id)] ?? 0) < question
        }
        let replaced = content.recorded.latestVersions().replacedPlaySubscriptions {
            !isCompared($0) || list.mentions($0)
        }
        if await recordReplaced(replaced, in: question) { content = try await ledgerContent() }
        let now = await currentTime()
        func compared() -> [Transaction] { content.recorded.latestVersions().filter(isCompared) }
        func missing() -> [Transaction] {
            compared().filter { $0.isCurrentEntitlement(at: now) && !list.includes($0) }
        }
        var absent = missing()
        var history = ListedPurchases()
        let known = try await ledger.memory().absences
        let unlisted = compared().filter { $0.isCurrentEntitlement(at: now) && list.mayOmit($0) }
        soughtInHistory.subtract(list.transactionIDs.map(ExactString.init))
        let isSought = unlisted.allSatisfy { soughtInHistory.contains(ExactString($0.id)) }
        // The list is not signed and does not say why a purchase is missing; the history is signed.
        // The user can change while the store answers, and has then restored nothing.
        func isRestore() -> Bool { content.user == restoring }
        if !isSought || absent.contains(where: { isRestore() || known.isConfirmed($0) != true }) {
            guard let found = await ingestHistory() else { return answer(listing: list.transactionIDs) }
            history = found
            soughtInHistory.formUnion(unlisted.map { ExactString($0.id) })
            content = try await ledgerContent()
            absent = missing().filter { !history.proves($0) }
        }
        // The answer to an earlier question does not replace the answer to a later one.
        let isOvertaken = question < lastAnsweredQuestion
        if hasStatuses, !isOvertaken {
            lastAnsweredQuestion = question
            await recordAbsences(known) {
                [list, history, absent, compared = compared(), isRestore = isRestore(), environment] stored in
                stored.updated(
                    byAnswerWithout: absent, of: compared, at: now, environment.uptime(), isRestore: isRestore,
                    isListed: { list.includes($0) || history.proves($0) })
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

    /// The purchases in a list or a history of the store.
    private struct ListedPurchases {
        private(set) var transactionIDs: [String] = []
        private var keys: Set<PurchaseKey> = []
        private var products: Set<ExactString> = []
        private var ids: Set<ExactString> = []
        private var originalIDs: Set<ExactString> = []
        /// The unsigned ids of transactions that are listed and not recorded, so nothing follows from their absence.
        private var undecided: Set<ExactString> = []
        /// Whether the verifier has not answered.
        private(set) var hasTimedOut = false

        mutating func add(_ delivery: SignedTransaction, _ outcome: IngestOutcome) {
            switch outcome {
            case .recorded(let transaction, _):
                transactionIDs.append(transaction.id)
                keys.insert(transaction.purchaseKey)
                products.insert(ExactString(transaction.productID))
                ids.insert(ExactString(transaction.id))
                originalIDs.insert(ExactString(transaction.originalID))
            // The store has the purchase, although this signature of it is rejected: a recorded version stays in force.
            case .notRecorded: undecided.insert(ExactString(delivery.transactionID))
            case .unverified(let failure):
                undecided.insert(ExactString(delivery.transactionID))
                if failure.isTimeout { hasTimedOut = true }
            // Listed, but not recorded for this user. A purchase without an account stays visible while none is signed
            // in.
            case .conflict(let transaction, _): undecided.insert(ExactString(transaction.id))
            }
        }

        /// Returns whether the purchase itself is among the listed ones, decided or not.
        func mentions(_ transaction: Transaction) -> Bool {
            ids.contains(ExactString(transaction.id)) || undecided.contains(ExactString(transaction.id))
        }

        /// Returns whether a history has a purchase, so that the purchase is in force until its end.
        ///
        /// The history also has subscriptions that are over. If only their listing says until when they are paid, their
        /// absence from the list counts.
        func proves(_ transaction: Transaction) -> Bool {
            if transaction.hasEstimatedEnd { return false }
            return keys.contains(transaction.purchaseKey) || undecided.contains(ExactString(transaction.id))
        }

        /// Returns whether a list of current entitlements has a purchase, or a later one of the same product.
        ///
        /// A list has only the latest transaction of each product: not an earlier purchase of a non-renewing
        /// subscription, and not always both an own and a family-shared purchase.
        func includes(_ transaction: Transaction) -> Bool {
            products.contains(ExactString(transaction.productID)) || undecided.contains(ExactString(transaction.id))
        }

        /// Returns whether a list has another purchase of the same product, and not every store would list both.
        ///
        /// Of an own and a family-shared purchase, some versions of a store list only one. The other one can have been
        /// revoked, so the history is read once for it. Every store lists only the last purchase of a non-renewing
        /// subscription and the last period of a subscription.
        func mayOmit(_ transaction: Transaction) -> Bool {
            includes(transaction) && transaction.kind != .nonRenewing && !ids.contains(ExactString(transaction.id))
                && !originalIDs.contains(ExactString(transaction.originalID))
        }
    }

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
            return await ingest(try await store.history(), from: .history, in: lastQuestion)
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

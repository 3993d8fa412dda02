public import ReceiptTypes

extension PurchaseService {
    /// Returns the transactions of the store's current entitlements, each with its verification result.
    ///
    /// If the store cannot be reached, it returns the recorded transactions that are in force.
    public func currentEntitlements() async -> [VerificationResult<Transaction>] {
        do throws(StoreError) {
            var results: [VerificationResult<Transaction>] = []
            for transaction in try await store.currentEntitlements() {
                switch await ingest(transaction, from: .entitlement) {
                case .recorded(let transaction, _): results.append(.verified(await withPaidPeriod(transaction)))
                case .unverified(let failure): results.append(.unverified(failure))
                case .conflict(_, let conflict): results.append(.unverified(conflict.failure))
                case .notRecorded: results.append(await verify(transaction))
                }
            }
            return results
        } catch {
            logEvent(.storeFailed, detail: error.description)
            let memory = await memoryOrLog() ?? JournalMemory()
            let now = memory.clock.time(byClock: clock())
            let recorded = await logFailure { () throws(JournalError) in try await recordedTransactions() }
            return (recorded ?? []).latestVersions().filter {
                $0.isCurrentEntitlement(at: now) && memory.absences.isConfirmed($0) != true
            }.map { .verified($0) }
        }
    }

    /// Returns everything that is recorded for the account, updated from the store if it can be reached.
    public func evidence() async throws(JournalError) -> PurchaseEvidence {
        await compactIfDue()
        let user = user
        let answer = try await askStore()
        // A renewal info does not name its account, so it belongs to the account of its subscription's transactions.
        let subscriptions = Set(answer.recorded.map { ExactString($0.originalID) })
        var renewalInfos: [RenewalInfo] = []
        for jws in try await journal.renewalInfos() {
            guard let info = await verify(renewalInfo: jws),
                subscriptions.contains(ExactString(info.originalTransactionID))
            else { continue }
            renewalInfos.append(info)
        }
        let memory = try await journal.memory()
        // The user may have changed while the store answered; the next user sees nothing of the former one.
        guard user == self.user else { return try await evidence() }
        return PurchaseEvidence(
            transactions: answer.recorded,
            renewalInfos: renewalInfos + playRenewalInfos(answer.recorded, memory.playListings),
            listedTransactionIDs: answer.listedTransactionIDs,
            absences: memory.absences,
            clock: memory.clock,
            isStoreReachable: answer.isComplete
        )
    }

    /// The number of undecided deliveries after which the journal is compacted again.
    static let compactionInterval = 100

    /// Compacts the journal once in a run, and again after many undecided deliveries, each of which has its own entry.
    ///
    /// A failure does not keep the customer from what is recorded.
    private func compactIfDue() async {
        guard undecidedSinceCompaction.map({ $0 >= Self.compactionInterval }) ?? true else { return }
        let earlier = undecidedSinceCompaction
        undecidedSinceCompaction = 0
        let isCompacted: Void? = await logFailure { [journal] () throws(JournalError) in try await journal.compact() }
        if isCompacted == nil { undecidedSinceCompaction = earlier }
    }

    /// What the store has answered, and what is recorded after it.
    struct StoreAnswer {
        /// All recorded transactions of the account.
        var recorded: [Transaction]
        /// The ids of the recorded transactions that the store lists as current.
        var listedTransactionIDs: [String]
        /// Whether the store has answered every question.
        var isComplete: Bool
    }

    /// Ingests the store's current entitlements and subscription statuses, and finds the recorded purchases that it lacks.
    ///
    /// - Parameter isRestore: Whether the customer has restored purchases, which confirms an absence at once.
    @discardableResult
    func askStore(isRestore: Bool = false) async throws(JournalError) -> StoreAnswer {
        lastQuestion += 1
        let question = lastQuestion
        let list = await ingestCurrentEntitlements()
        let hasStatuses = list == nil ? false : await ingestSubscriptionStatuses()
        var recorded = try await recordedTransactions()
        await recordTime(latestSignature: recorded.lazy.map(\.signedDate).max(), hasStoreAnswered: list != nil)
        if let list {
            let replaced = recorded.latestVersions().replacedPlaySubscriptions {
                // One that was recorded while the store answered is not compared with the answer.
                (questions[ExactString($0.id)] ?? 0) >= question || list.mentions($0)
            }
            if await recordReplaced(replaced) { recorded = try await recordedTransactions() }
        }
        guard let list else { return StoreAnswer(recorded: recorded, listedTransactionIDs: [], isComplete: false) }

        let now = await currentTime()
        // A purchase that was recorded while the store answered is not compared with its answer.
        func compared() -> [Transaction] {
            recorded.latestVersions().filter { (questions[ExactString($0.id)] ?? 0) < question }
        }
        func missing() -> [Transaction] {
            compared().filter { $0.isCurrentEntitlement(at: now) && !list.includes($0) }
        }
        var absent = missing()
        var history = ListedPurchases()
        let known = try await journal.memory().absences
        let unlisted = compared().filter { $0.isCurrentEntitlement(at: now) && list.mayOmit($0) }
        soughtInHistory.subtract(list.transactionIDs.map(ExactString.init))
        let isSought = unlisted.allSatisfy { soughtInHistory.contains(ExactString($0.id)) }
        // The list is not signed and does not say why a purchase is missing; the history is signed.
        if !isSought || absent.contains(where: { isRestore || known.isConfirmed($0) != true }) {
            guard let answer = await ingestHistory() else {
                return StoreAnswer(recorded: recorded, listedTransactionIDs: list.transactionIDs, isComplete: false)
            }
            history = answer
            soughtInHistory.formUnion(unlisted.map { ExactString($0.id) })
            recorded = try await recordedTransactions()
            absent = missing().filter { !history.proves($0) }
        }
        // The answer to an earlier question does not replace the answer to a later one.
        if hasStatuses, question > lastAnsweredQuestion {
            lastAnsweredQuestion = question
            await recordAbsences(known) { [list, history, absent, compared = compared()] stored in
                stored.updated(
                    byAnswerWithout: absent, of: compared, at: now, isRestore: isRestore,
                    isListed: { list.includes($0) || history.proves($0) })
            }
        }
        return StoreAnswer(
            recorded: recorded, listedTransactionIDs: list.transactionIDs, isComplete: hasStatuses)
    }

    private func recordTime(latestSignature: Timestamp?, hasStoreAnswered: Bool) async {
        let now = clock()
        await updateMemory { memory in
            if let latestSignature { memory.clock.recordSignature(latestSignature, clock: now) }
            if hasStoreAnswered { memory.clock.recordStoreAnswer(clock: now) } else { memory.clock.recordClock(now) }
        }
    }

    /// Changes the stored absences, and logs each one that is new or newly confirmed since the known ones were read.
    ///
    /// The change starts from the absences that are stored now: another service can have confirmed one since.
    private func recordAbsences(
        _ known: [AbsentPurchase], _ change: @Sendable ([AbsentPurchase]) -> [AbsentPurchase]
    ) async {
        let memory = await updateMemory { $0.absences = change($0.absences) }
        for absence in memory?.absences ?? [] where !known.contains(absence) {
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
        /// The unsigned ids of transactions that are not decided yet, so nothing follows from their absence.
        private var undecided: Set<ExactString> = []

        mutating func add(_ delivery: SignedTransaction, _ outcome: IngestOutcome) {
            switch outcome {
            case .recorded(let transaction, _):
                transactionIDs.append(transaction.id)
                keys.insert(transaction.purchaseKey)
                products.insert(ExactString(transaction.productID))
                ids.insert(ExactString(transaction.id))
                originalIDs.insert(ExactString(transaction.originalID))
            case .notRecorded: undecided.insert(ExactString(delivery.transactionID))
            case .unverified(let failure):
                if failure.isRetryable { undecided.insert(ExactString(delivery.transactionID)) }
            // Listed, but not recorded for this user. A purchase without an account stays visible while none is signed in.
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

    /// Ingests the store's current entitlements; returns nil if the store does not answer.
    private func ingestCurrentEntitlements() async -> ListedPurchases? {
        do throws(StoreError) {
            return await ingest(try await store.currentEntitlements(), from: .entitlement)
        } catch {
            logEvent(.storeFailed, detail: error.description)
            return nil
        }
    }

    /// Ingests the store's history; returns nil if the store does not answer.
    private func ingestHistory() async -> ListedPurchases? {
        do throws(StoreError) {
            return await ingest(try await store.history(), from: .history)
        } catch {
            logEvent(.storeFailed, detail: error.description)
            return nil
        }
    }

    private func ingest(_ deliveries: [SignedTransaction], from source: DeliverySource) async -> ListedPurchases {
        var purchases = ListedPurchases()
        for delivery in deliveries { purchases.add(delivery, await ingest(delivery, from: source)) }
        return purchases
    }

    /// Ingests the store's subscription statuses; returns false if the store does not answer.
    private func ingestSubscriptionStatuses() async -> Bool {
        do throws(StoreError) {
            for status in try await store.subscriptionStatuses() { _ = await ingest(status) }
            return true
        } catch {
            logEvent(.storeFailed, detail: error.description)
            return false
        }
    }

    /// Ingests a subscription's status; returns whether the transaction is new or the renewal info is verified.
    func ingest(_ status: SignedSubscriptionStatus) async -> Bool {
        var isNew = false
        if case .recorded(_, let isNewTransaction) = await ingest(status.transaction, from: .entitlement) {
            isNew = isNewTransaction
        }
        if let objection = status.renewalInfoObjection {
            logEvent(.unverified, status.transaction.productID, detail: "renewal info: \(objection)")
            return isNew
        }
        guard let info = await verify(renewalInfo: status.renewalInfoJWS) else { return isNew }
        do throws(JournalError) {
            try await journal.record(info, jws: status.renewalInfoJWS)
            let now = clock()
            await updateMemory { $0.clock.recordSignature(info.signedDate, clock: now) }
            return true
        } catch {
            logEvent(.journalFailed, detail: error.description)
            return isNew
        }
    }

    /// Verifies a renewal info; returns nil if it is not verified.
    func verify(renewalInfo jws: String) async -> RenewalInfo? {
        switch await verifier.verifyRenewalInfo(jws, at: await currentTime()) {
        case .verified(let payload): return RenewalInfo(payload)
        case .unverified(let failure):
            logEvent(.unverified, detail: "renewal info: \(failure.description)")
            return nil
        }
    }

    /// Returns the recorded transactions of this account, verified again.
    ///
    /// Each run verifies every JWS, because an attacker can edit the journal.
    func recordedTransactions() async throws(JournalError) -> [Transaction] {
        while true {
            let user = user
            var transactions: [Transaction] = []
            let entries = try await journal.entries()
            for entry in entries where entry.stage >= .recorded && user.maySee(entry.account) {
                guard let transaction = await verify(entry.transaction).verifiedPayload else { continue }
                transactions.append(transaction)
            }
            // Drops signatures that a later one of the same facts has replaced.
            if verified.count > entries.count {
                let current = Set(entries.map { ExactString($0.transaction.jws) })
                verified = verified.filter { current.contains($0.key) }
            }
            // The user may have changed while the journal was read; the next user sees nothing of the former one.
            if user == self.user { return try await withPaidPeriods(transactions) }
        }
    }
}

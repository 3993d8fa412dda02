public import ReceiptTypes

extension PurchaseService {
    /// The transactions that entitle the customer to something now; those remembered where the store cannot be reached.
    public func currentEntitlements() async -> [VerificationResult<Transaction>] {
        do throws(StoreError) {
            var results: [VerificationResult<Transaction>] = []
            for transaction in try await store.currentEntitlements() {
                switch await ingest(transaction, from: .entitlement) {
                case .recorded(let transaction, _): results.append(.verified(transaction))
                case .refused(let failure): results.append(.unverified(failure))
                case .conflict(_, let conflict): results.append(.unverified(conflict.failure))
                case .notRecorded: results.append(await judge(transaction))
                }
            }
            return results
        } catch {
            note(.storeFailed, detail: error.description)
            let now = await time()
            let remembered = (try? await recordedTransactions()) ?? []
            return remembered.latestVersions().filter { $0.stands(at: now) }.map { .verified($0) }
        }
    }

    /// Everything by which entitlements are judged: what is recorded, brought up to date with the store where it answers.
    public func evidence() async throws(JournalError) -> PurchaseEvidence {
        let isStoreReachable = await catchUp()
        let now = clock()
        await remember { $0.clock.noteClock(now) }
        var renewalInfos: [RenewalInfo] = []
        for jws in try await journal.renewalInfos() {
            if let info = await judge(renewalInfo: jws) { renewalInfos.append(info) }
        }
        return PurchaseEvidence(
            transactions: try await recordedTransactions(),
            renewalInfos: renewalInfos,
            clock: try await journal.memory().clock,
            isStoreReachable: isStoreReachable
        )
    }

    /// Takes in what the store holds the customer entitled to; false where it does not answer.
    private func catchUp() async -> Bool {
        do throws(StoreError) {
            let current = try await store.currentEntitlements()
            for transaction in current { _ = await ingest(transaction, from: .entitlement) }
            for status in try await store.subscriptionStatuses() { _ = await take(status) }
            // What is recorded and no longer on the list was paid back while nobody listened, or is another customer's.
            // The list does not say which, and is not signed; the history is.
            let listed = Set(current.map { ExactText($0.transactionID) })
            let now = await time()
            let recorded = (try? await recordedTransactions()) ?? []
            if recorded.latestVersions().contains(where: { $0.stands(at: now) && !listed.contains(ExactText($0.id)) }) {
                for transaction in try await store.history() { _ = await ingest(transaction, from: .history) }
            }
            return true
        } catch {
            note(.storeFailed, detail: error.description)
            return false
        }
    }

    /// Takes in a subscription's status; true where it says something new.
    func take(_ status: SignedSubscriptionStatus) async -> Bool {
        var isNew = false
        if case .recorded(_, let isNewTransaction) = await ingest(status.transaction, from: .entitlement) {
            isNew = isNewTransaction
        }
        if let objection = status.renewalInfoObjection {
            note(.unverified, status.transaction.productID, detail: "renewal info: \(objection)")
            return isNew
        }
        guard let info = await judge(renewalInfo: status.renewalInfoJWS) else { return isNew }
        do throws(JournalError) {
            try await journal.record(info, jws: status.renewalInfoJWS)
            let now = clock()
            await remember { $0.clock.noteSignature(info.signedDate, clock: now) }
            return true
        } catch {
            note(.journalFailed, detail: error.description)
            return isNew
        }
    }

    /// What is recorded for this account. Every text is verified again in each run: the journal is where evidence is
    /// kept and no evidence itself.
    func recordedTransactions() async throws(JournalError) -> [Transaction] {
        var transactions: [Transaction] = []
        for entry in try await journal.entries() where entry.stage >= .recorded {
            if let account, let owner = entry.account, owner != account { continue }
            if let transaction = await judge(entry.transaction).verifiedPayload { transactions.append(transaction) }
        }
        return transactions
    }
}

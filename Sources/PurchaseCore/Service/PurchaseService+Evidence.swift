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
                case .recorded(let transaction, _): results.append(.verified(transaction))
                case .unverified(let failure): results.append(.unverified(failure))
                case .conflict(_, let conflict): results.append(.unverified(conflict.failure))
                case .notRecorded: results.append(await verify(transaction))
                }
            }
            return results
        } catch {
            logEvent(.storeFailed, detail: error.description)
            let now = await currentTime()
            let recorded = (try? await recordedTransactions()) ?? []
            return recorded.latestVersions().filter { $0.isCurrentEntitlement(at: now) }.map { .verified($0) }
        }
    }

    /// Returns everything that is recorded for the account, updated from the store if it can be reached.
    public func evidence() async throws(JournalError) -> PurchaseEvidence {
        let isStoreReachable = await ingestCurrentState()
        let now = clock()
        await updateMemory { $0.clock.recordClock(now) }
        var renewalInfos: [RenewalInfo] = []
        for jws in try await journal.renewalInfos() {
            if let info = await verify(renewalInfo: jws) { renewalInfos.append(info) }
        }
        return PurchaseEvidence(
            transactions: try await recordedTransactions(),
            renewalInfos: renewalInfos,
            clock: try await journal.memory().clock,
            isStoreReachable: isStoreReachable
        )
    }

    /// Ingests the store's current entitlements and subscription statuses; returns false if the store does not answer.
    private func ingestCurrentState() async -> Bool {
        do throws(StoreError) {
            let current = try await store.currentEntitlements()
            for transaction in current { _ = await ingest(transaction, from: .entitlement) }
            for status in try await store.subscriptionStatuses() { _ = await ingest(status) }
            // A recorded purchase that is not in the list was refunded or belongs to another customer. The list is not
            // signed and does not say which; the history is signed.
            let listed = Set(current.map { ExactString($0.transactionID) })
            let now = await currentTime()
            let recorded = (try? await recordedTransactions()) ?? []
            let isIncomplete = recorded.latestVersions().contains {
                $0.isCurrentEntitlement(at: now) && !listed.contains(ExactString($0.id))
            }
            if isIncomplete {
                for transaction in try await store.history() { _ = await ingest(transaction, from: .history) }
            }
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
        var transactions: [Transaction] = []
        for entry in try await journal.entries() where entry.stage >= .recorded {
            if let account, let owner = entry.account, owner != account { continue }
            if let transaction = await verify(entry.transaction).verifiedPayload { transactions.append(transaction) }
        }
        return transactions
    }
}

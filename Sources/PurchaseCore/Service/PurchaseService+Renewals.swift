internal import ReceiptTypes

/// What a subscription's status has brought.
struct IngestedStatus: Sendable {
    /// The outcome of the subscription's transaction.
    let outcome: Intake.Outcome
    /// The renewal info; nil if the store objects to it, or if the verifier does not answer at the moment.
    var renewal: VerificationResult<RenewalInfo>?
    /// Whether the ledger has stored the renewal info, or one that was signed later.
    var isStored = false

    var hasTimedOut: Bool { outcome.hasTimedOut || renewal?.failure?.isTimeout ?? false }
}

extension PurchaseService {
    /// Ingests the store's subscription statuses, up to the first for which the verifier or the ledger has not
    /// answered.
    ///
    /// One after the other, each of many statuses would take the deadline.
    func ingestSubscriptionStatuses() async throws(StoreError) -> RenewalStates {
        var states = RenewalStates()
        let statuses = try await store.subscriptionStatuses()
        let outcomes = await ingestAll(statuses.map(\.transaction), from: .entitlement, in: questions.last)
        for (status, outcome) in zip(statuses, outcomes) {
            let ingested = await ingestRenewalInfo(of: status, outcome)
            if let info = ingested.renewal?.verifiedPayload { states.infos.append(info) }
            if ingested.renewal?.failure?.mayCountLater ?? false { states.isDecided = false }
            if ingested.hasTimedOut {
                (states.isDecided, states.hasTimedOut) = (false, true)
                break
            }
        }
        return states
    }

    /// Ingests a subscription's status: its transaction, and its renewal info if it is verified.
    ///
    /// The renewal info of another user's subscription is stored too: it says whether an introductory offer is used up.
    func ingest(_ status: SignedSubscriptionStatus) async -> IngestedStatus {
        await ingestRenewalInfo(of: status, await ingest(status.transaction, from: .entitlement))
    }

    private func ingestRenewalInfo(
        of status: SignedSubscriptionStatus, _ outcome: Intake.Outcome
    ) async -> IngestedStatus {
        var ingested = IngestedStatus(outcome: outcome)
        if let objection = status.renewalInfoObjection {
            logEvent(.unverified, status.transaction.productID, detail: "renewal info: \(objection)")
            return ingested
        }
        if ingested.hasTimedOut { return ingested }
        let renewal = await verify(renewalInfo: status.renewalInfoJWS)
        ingested.renewal = renewal
        guard let info = renewal.verifiedPayload else { return ingested }
        do throws(LedgerError) {
            try await write(info, status.renewalInfoJWS)
            ingested.isStored = true
        } catch {
            logEvent(.ledgerFailed, error: error)
        }
        return ingested
    }

    /// Writes a renewal info to the ledger, or keeps it in memory if the subscription may not be written; see
    /// ``signOut()``.
    private func write(_ info: RenewalInfo, _ jws: String) async throws(LedgerError) {
        let id = ExactString(info.originalTransactionID)
        intake.forgetUnwritten(info)
        if user == .signedOut {
            let isVisible = try await recordedTransactions().contains { ExactString($0.originalID) == id }
            if user == .signedOut, !isVisible {
                intake.keepUnwritten(info, jws)
                return
            }
        }
        let isKnown = try await ledger.read(.readRenewals) { (rows) throws(LedgerError) in
            guard let known = try rows.renewal(of: info.originalTransactionID) else { return false }
            let signed = try rows.memory().clock.signed
            return known.signedDate >= info.signedDate && signed.map { $0 >= info.signedDate } ?? false
        }
        if isKnown { return }
        try await ledger.transact(.recordRenewal) {
            [environment] (rows: inout any LedgerRows) throws(LedgerError) in
            _ = try rows.record(info, jws: jws)
            _ = try rows.updateMemory {
                $0.clock.recordSignature(info.signedDate, clock: environment.clock(), uptime: environment.uptime())
            }
        }
    }

    /// Returns the stored renewal infos that are verified, and whether the verifier has decided about all.
    ///
    /// - Parameter asksVerifier: Whether to verify those that this run has not verified before. After the first whose
    ///   verification has timed out, no other one is begun.
    func storedRenewalInfos(
        asksVerifier: Bool = true
    ) async throws(LedgerError) -> (infos: [RenewalInfo], isDecided: Bool) {
        var infos: [RenewalInfo] = []
        var isDecided = true
        var asksVerifier = asksVerifier
        let stored = try await ledger.renewalInfos() + intake.unwrittenRenewalInfos
        intake.dropRenewals(notIn: stored)
        for jws in stored {
            if let known = intake.renewal(of: jws) {
                infos.append(known)
                continue
            }
            guard asksVerifier else {
                isDecided = false
                continue
            }
            switch await verify(renewalInfo: jws) {
            case .verified(let info): infos.append(info)
            case .unverified(let failure):
                if failure.isTimeout { asksVerifier = false }
                if failure.mayCountLater { isDecided = false }
            }
        }
        return (infos, isDecided)
    }

    /// Verifies a renewal info that this run has not verified before, and logs a failure.
    func verify(renewalInfo jws: String) async -> VerificationResult<RenewalInfo> {
        if let known = intake.renewal(of: jws) { return .verified(known) }
        let failure: VerificationFailure
        switch await verifier.verifyRenewalInfo(jws, at: await currentTime()) {
        case .verified(let payload):
            if let info = RenewalInfo(payload) {
                if verifier.hasLastingVerdicts { intake.keep(info, of: jws) }
                return .verified(info)
            }
            failure = VerificationFailure(code: .renewalInfoIncomplete)
        case .unverified(let reason): failure = reason
        }
        logEvent(.unverified, context: "renewal info", error: failure)
        return .unverified(failure)
    }
}

internal import ReceiptTypes

/// A journal whose calls return within a deadline.
///
/// A call that takes longer throws ``JournalError/Code/timedOut`` and is cancelled. It can still make its change, so
/// every call may be repeated.
struct BoundedJournal: PurchaseJournal {
    let base: any PurchaseJournal
    let timer: any PurchaseTimer
    let deadline: Int64
    let meter: StageMeter

    private func bounded<Value: Sendable>(
        _ call: @escaping @Sendable (any PurchaseJournal) async throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        let answer = await timer.answer(within: deadline) { [base] () -> Result<Value, JournalError> in
            do throws(JournalError) {
                return .success(try await call(base))
            } catch {
                return .failure(error)
            }
        }
        guard let answer else {
            throw JournalError(.timedOut, "the journal did not answer within \(deadline) ms")
        }
        return try answer.get()
    }

    func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(JournalError) -> JournalEntry {
        try await bounded { journal throws(JournalError) in
            try await journal.observe(transaction, from: source, at: now)
        }
    }

    func markVerified(_ transaction: Transaction, signedText: String) async throws(JournalError) -> JournalEntry {
        try await bounded { journal throws(JournalError) in
            try await journal.markVerified(transaction, signedText: signedText)
        }
    }

    func quarantine(signedText: String, because code: VerificationFailure.Code) async throws(JournalError) {
        try await bounded { journal throws(JournalError) in
            try await journal.quarantine(signedText: signedText, because: code)
        }
    }

    func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome {
        try await meter.measure(.record) { () throws(JournalError) in
            try await bounded { journal throws(JournalError) in
                try await journal.record(transaction, signedText: signedText, for: account)
            }
        }
    }

    func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await bounded { journal throws(JournalError) in
            try await journal.claimFulfilment(of: key, from: now, until: end)
        }
    }

    func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await bounded { journal throws(JournalError) in try await journal.renew(claim, from: now, until: end) }
    }

    func release(_ claim: FulfilmentClaim) async throws(JournalError) {
        try await bounded { journal throws(JournalError) in try await journal.release(claim) }
    }

    func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) async throws(JournalError) {
        try await bounded { journal throws(JournalError) in
            try await journal.markGranted(signedText: signedText, fulfilment, under: claim)
        }
    }

    func markFinished(signedText: String) async throws(JournalError) {
        try await bounded { journal throws(JournalError) in try await journal.markFinished(signedText: signedText) }
    }

    func entries() async throws(JournalError) -> [JournalEntry] {
        try await bounded { journal throws(JournalError) in try await journal.entries() }
    }

    func recordedEntries(of key: PurchaseKey) async throws(JournalError) -> [JournalEntry] {
        try await bounded { journal throws(JournalError) in try await journal.recordedEntries(of: key) }
    }

    func compact() async throws(JournalError) {
        try await bounded { journal throws(JournalError) in try await journal.compact() }
    }

    func fulfilment(of key: PurchaseKey) async throws(JournalError) -> FulfilledAmount? {
        try await bounded { journal throws(JournalError) in try await journal.fulfilment(of: key) }
    }

    func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError) {
        try await bounded { journal throws(JournalError) in try await journal.record(renewalInfo, jws: jws) }
    }

    func renewalInfos() async throws(JournalError) -> [String] {
        try await bounded { journal throws(JournalError) in try await journal.renewalInfos() }
    }

    func memory() async throws(JournalError) -> JournalMemory {
        try await bounded { journal throws(JournalError) in try await journal.memory() }
    }

    func updateMemory(
        _ change: @escaping @Sendable (inout JournalMemory) -> Void
    ) async throws(JournalError) -> JournalMemory {
        try await bounded { journal throws(JournalError) in try await journal.updateMemory(change) }
    }
}

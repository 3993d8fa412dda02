internal import PurchaseCore
internal import ReceiptTypes

/// Keeps what another journal keeps, and logs each stage that a delivery reaches.
struct LoggedJournal: PurchaseJournal {
    let journal: any PurchaseJournal
    let log: CoreLog

    // MARK: The stages

    func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(JournalError) -> JournalEntry {
        let entry = try await journal.observe(transaction, from: source, at: now)
        log.add(.journal, "observed: \(transaction.productID), from \(source.rawValue), now at stage \(entry.stage)")
        return entry
    }

    func markVerified(_ transaction: Transaction, signedText: String) async throws(JournalError) -> JournalEntry {
        let entry = try await journal.markVerified(transaction, signedText: signedText)
        log.add(.journal, "verified: \(transaction.productID), transaction \(transaction.id)")
        return entry
    }

    func quarantine(signedText: String, because code: VerificationFailure.Code) async throws(JournalError) {
        try await journal.quarantine(signedText: signedText, because: code)
        log.add(.journal, "quarantined: \(code)", isFailure: true)
    }

    func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome {
        let outcome = try await journal.record(transaction, signedText: signedText, for: account)
        log.add(.journal, "recorded: \(transaction.productID), transaction \(transaction.id), \(outcome)")
        return outcome
    }

    func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) async throws(JournalError) {
        try await journal.markGranted(signedText: signedText, fulfilment, under: claim)
        log.add(.journal, "granted")
    }

    func markFinished(signedText: String) async throws(JournalError) {
        try await journal.markFinished(signedText: signedText)
        log.add(.journal, "finished")
    }

    // MARK: Everything else

    func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await journal.claimFulfilment(of: key, from: now, until: end)
    }

    func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await journal.renew(claim, from: now, until: end)
    }

    func release(_ claim: FulfilmentClaim) async throws(JournalError) { try await journal.release(claim) }

    func entries() async throws(JournalError) -> [JournalEntry] { try await journal.entries() }

    func recordedEntries(of key: PurchaseKey) async throws(JournalError) -> [JournalEntry] {
        try await journal.recordedEntries(of: key)
    }

    func compact() async throws(JournalError) { try await journal.compact() }

    func fulfilment(of key: PurchaseKey) async throws(JournalError) -> FulfilledAmount? {
        try await journal.fulfilment(of: key)
    }

    func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError) {
        try await journal.record(renewalInfo, jws: jws)
    }

    func renewalInfos() async throws(JournalError) -> [String] { try await journal.renewalInfos() }

    func memory() async throws(JournalError) -> JournalMemory { try await journal.memory() }

    func updateMemory(
        _ change: @escaping @Sendable (inout JournalMemory) -> Void
    ) async throws(JournalError) -> JournalMemory {
        try await journal.updateMemory(change)
    }
}

import PurchaseCore
import ReceiptTypes
import ReceiptVerification

/// A value that several copies of a journal change.
final class Shared<Value: Sendable>: Sendable {
    private let state: Locked<Value>

    init(_ value: Value) {
        state = Locked(value)
    }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        state.withLock { value in body(&value) }
    }
}

/// A journal of which each method can be replaced by a function; a function gets the journal below it.
struct PatchedJournal: PurchaseJournal {
    typealias Base = any PurchaseJournal

    let base: any PurchaseJournal
    var observing:
        (@Sendable (Base, SignedTransaction, DeliverySource, Timestamp) async throws(JournalError) -> JournalEntry)?
    var verifying: (@Sendable (Base, Transaction, String) async throws(JournalError) -> JournalEntry)?
    var quarantining: (@Sendable (Base, String, VerificationFailure.Code) async throws(JournalError) -> Void)?
    var recording: (@Sendable (Base, Transaction, String, UUIDText?) async throws(JournalError) -> RecordOutcome)?
    var claiming: (@Sendable (Base, PurchaseKey, Timestamp, Timestamp) async throws(JournalError) -> FulfilmentClaim?)?
    var releasing: (@Sendable (Base, FulfilmentClaim) async throws(JournalError) -> Void)?
    var renewing:
        (@Sendable (Base, FulfilmentClaim, Timestamp, Timestamp) async throws(JournalError) -> FulfilmentClaim?)?
    var granting: (@Sendable (Base, String, FulfilledAmount, FulfilmentClaim) async throws(JournalError) -> Void)?
    var finishing: (@Sendable (Base, String) async throws(JournalError) -> Void)?
    var reading: (@Sendable (Base) async throws(JournalError) -> [JournalEntry])?
    var readingRecorded: (@Sendable (Base, PurchaseKey) async throws(JournalError) -> [JournalEntry])?
    var compacting: (@Sendable (Base) async throws(JournalError) -> Void)?
    var readingFulfilment: (@Sendable (Base, PurchaseKey) async throws(JournalError) -> FulfilledAmount?)?
    var recordingRenewal: (@Sendable (Base, RenewalInfo, String) async throws(JournalError) -> Void)?
    var readingRenewals: (@Sendable (Base) async throws(JournalError) -> [String])?
    var updating:
        (
            @Sendable (Base, @escaping @Sendable (inout JournalMemory) -> Void) async throws(JournalError)
                -> JournalMemory
        )?

    init(_ base: any PurchaseJournal = InMemoryJournal(), _ patch: (inout PatchedJournal) -> Void) {
        self.base = base
        patch(&self)
    }

    func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(JournalError) -> JournalEntry {
        if let observing { return try await observing(base, transaction, source, now) }
        return try await base.observe(transaction, from: source, at: now)
    }
    func markVerified(_ transaction: Transaction, signedText: String) async throws(JournalError) -> JournalEntry {
        if let verifying { return try await verifying(base, transaction, signedText) }
        return try await base.markVerified(transaction, signedText: signedText)
    }
    func quarantine(signedText: String, because code: VerificationFailure.Code) async throws(JournalError) {
        if let quarantining { return try await quarantining(base, signedText, code) }
        try await base.quarantine(signedText: signedText, because: code)
    }
    func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome {
        if let recording { return try await recording(base, transaction, signedText, account) }
        return try await base.record(transaction, signedText: signedText, for: account)
    }
    func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        if let claiming { return try await claiming(base, key, now, end) }
        return try await base.claimFulfilment(of: key, from: now, until: end)
    }
    func release(_ claim: FulfilmentClaim) async throws(JournalError) {
        if let releasing { return try await releasing(base, claim) }
        try await base.release(claim)
    }
    func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        if let renewing { return try await renewing(base, claim, now, end) }
        return try await base.renew(claim, from: now, until: end)
    }
    func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) async throws(JournalError) {
        if let granting { return try await granting(base, signedText, fulfilment, claim) }
        try await base.markGranted(signedText: signedText, fulfilment, under: claim)
    }
    func markFinished(signedText: String) async throws(JournalError) {
        if let finishing { return try await finishing(base, signedText) }
        try await base.markFinished(signedText: signedText)
    }
    func entries() async throws(JournalError) -> [JournalEntry] {
        if let reading { return try await reading(base) }
        return try await base.entries()
    }
    func recordedEntries(of key: PurchaseKey) async throws(JournalError) -> [JournalEntry] {
        if let readingRecorded { return try await readingRecorded(base, key) }
        return try await base.recordedEntries(of: key)
    }
    func compact() async throws(JournalError) {
        if let compacting { return try await compacting(base) }
        try await base.compact()
    }
    func fulfilment(of key: PurchaseKey) async throws(JournalError) -> FulfilledAmount? {
        if let readingFulfilment { return try await readingFulfilment(base, key) }
        return try await base.fulfilment(of: key)
    }
    func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError) {
        if let recordingRenewal { return try await recordingRenewal(base, renewalInfo, jws) }
        try await base.record(renewalInfo, jws: jws)
    }
    func renewalInfos() async throws(JournalError) -> [String] {
        if let readingRenewals { return try await readingRenewals(base) }
        return try await base.renewalInfos()
    }
    func memory() async throws(JournalError) -> JournalMemory { try await base.memory() }
    func updateMemory(
        _ change: @escaping @Sendable (inout JournalMemory) -> Void
    ) async throws(JournalError) -> JournalMemory {
        if let updating { return try await updating(base, change) }
        return try await base.updateMemory(change)
    }
}

public import ReceiptTypes

/// A journal in memory, for tests and for systems without storage.
///
/// > Important: Its content is lost with the process. The store delivers unfinished transactions again, but not finished
/// > consumables.
public actor InMemoryJournal: PurchaseJournal {
    private var order: [ExactString] = []
    private var entriesByJWS: [ExactString: JournalEntry] = [:]
    private var recordedByJWS: [ExactString: Transaction] = [:]
    private var recordedByKey: [PurchaseKey: [ExactString]] = [:]
    private var recordedByID: [ExactString: [ExactString]] = [:]
    private var fulfilments: [PurchaseKey: Fulfilment] = [:]
    private var renewals: [ExactString: (info: RenewalInfo, jws: String)] = [:]
    private var savedMemory = JournalMemory()

    /// Creates an empty journal.
    public init() {}

    /// Records a delivery, or returns the existing entry.
    public func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) -> JournalEntry {
        let jws = ExactString(transaction.jws)
        if let entry = entriesByJWS[jws] { return entry }
        let entry = JournalEntry(transaction: transaction, source: source, observedAt: now)
        entriesByJWS[jws] = entry
        order.append(jws)
        return entry
    }

    /// Moves an entry to `verified` and out of quarantine, and deletes the store's objection.
    public func markVerified(jws: String) throws(JournalError) {
        try advance(jws, from: .observed, to: .verified) { entry in
            entry.quarantineReason = nil
            entry.transaction = entry.transaction.withoutObjection
        }
    }

    /// Moves an entry that is not recorded into quarantine.
    public func quarantine(jws: String, because code: VerificationFailure.Code) throws(JournalError) {
        guard let entry = entriesByJWS[ExactString(jws)], entry.stage <= .verified else { throw Self.outOfOrder }
        entriesByJWS[ExactString(jws)]?.quarantineReason = code
        entriesByJWS[ExactString(jws)]?.stage = .observed
    }

    /// Moves a verified entry to `recorded`, unless it conflicts with a recorded one.
    public func record(
        _ transaction: Transaction, jws: String, for account: UUIDText?
    ) throws(JournalError) -> RecordOutcome {
        let key = ExactString(jws)
        guard let entry = entriesByJWS[key], entry.stage >= .verified else { throw Self.outOfOrder }
        let versions = recordedByID[ExactString(transaction.id)] ?? []
        if let conflict = conflict(of: transaction, for: account, with: versions) { return .conflict(conflict) }
        let owner = account ?? versions.lazy.compactMap { self.entriesByJWS[$0]?.account }.first
        for version in versions { entriesByJWS[version]?.account = owner }
        guard entry.stage < .recorded else { return .unchanged }
        entriesByJWS[key]?.stage = .recorded
        entriesByJWS[key]?.account = owner
        recordedByJWS[key] = transaction
        recordedByID[ExactString(transaction.id), default: []].append(key)
        recordedByKey[transaction.purchaseKey, default: []].append(key)
        return versions.isEmpty ? .inserted : .merged
    }

    private func conflict(
        of transaction: Transaction, for account: UUIDText?, with versions: [ExactString]
    ) -> RecordConflict? {
        for version in versions {
            if let other = recordedByJWS[version],
                !other.productID.isIdentical(to: transaction.productID)
                    || !other.originalID.isIdentical(to: transaction.originalID)
            {
                return .differentPurchase
            }
            if let owner = entriesByJWS[version]?.account, let account, owner != account {
                return .belongsToAnotherAccount
            }
        }
        return nil
    }

    /// Moves a recorded entry to `granted`.
    public func markGranted(jws: String, _ fulfilment: Fulfilment, of key: PurchaseKey) throws(JournalError) {
        try advance(jws, from: .recorded, to: .granted) { _ in }
        fulfilments[key] = fulfilment
    }

    /// Moves a granted entry to `finished`.
    public func markFinished(jws: String) throws(JournalError) {
        try advance(jws, from: .granted, to: .finished) { _ in }
    }

    private func advance(
        _ jws: String, from earlier: JournalStage, to stage: JournalStage, _ change: (inout JournalEntry) -> Void
    ) throws(JournalError) {
        guard var entry = entriesByJWS[ExactString(jws)], entry.stage >= earlier else { throw Self.outOfOrder }
        entry.stage = max(entry.stage, stage)
        change(&entry)
        entriesByJWS[ExactString(jws)] = entry
    }

    private static var outOfOrder: JournalError {
        JournalError(.outOfOrder, "the entry is missing or has not reached the required stage")
    }

    /// Returns all entries in the order of their first delivery.
    public func entries() -> [JournalEntry] { order.compactMap { entriesByJWS[$0] } }

    /// Returns the recorded entries of one purchase.
    public func recordedEntries(of key: PurchaseKey) -> [JournalEntry] {
        recordedByKey[key, default: []].compactMap { entriesByJWS[$0] }
    }

    /// Returns the last fulfilment of a purchase.
    public func fulfilment(of key: PurchaseKey) -> Fulfilment? { fulfilments[key] }

    /// Stores a renewal info if it is the latest of its subscription.
    public func record(_ renewalInfo: RenewalInfo, jws: String) {
        let key = ExactString(renewalInfo.originalTransactionID)
        if let known = renewals[key], known.info.signedDate >= renewalInfo.signedDate { return }
        renewals[key] = (renewalInfo, jws)
    }

    /// Returns the JWS of each stored renewal info, one for each subscription.
    public func renewalInfos() -> [String] { renewals.values.map(\.jws) }

    /// Returns the saved clock marks and pending purchases.
    public func memory() -> JournalMemory { savedMemory }

    /// Replaces the saved clock marks and pending purchases.
    public func save(_ memory: JournalMemory) { savedMemory = memory }
}

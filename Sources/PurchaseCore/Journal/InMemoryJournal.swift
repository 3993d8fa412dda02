public import ReceiptTypes

/// A journal that lasts as long as it is held: for tests, and where nothing can be stored.
///
/// > Important: What it holds is lost with the process. Unfinished transactions come again from the store; a finished
/// > consumable does not.
public actor InMemoryJournal: PurchaseJournal {
    private var order: [ExactText] = []
    private var entriesByText: [ExactText: JournalEntry] = [:]
    private var recordedByText: [ExactText: Transaction] = [:]
    private var textsByKey: [PurchaseKey: [ExactText]] = [:]
    private var textsByID: [ExactText: [ExactText]] = [:]
    private var fulfilments: [PurchaseKey: Fulfilment] = [:]
    private var renewals: [ExactText: (info: RenewalInfo, jws: String)] = [:]
    private var kept = JournalMemory()

    /// An empty journal.
    public init() {}

    /// Notes a delivery, or finds the entry that there is.
    public func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) -> JournalEntry {
        let key = ExactText(transaction.jws)
        if let entry = entriesByText[key] { return entry }
        let entry = JournalEntry(transaction: transaction, source: source, observedAt: now)
        entriesByText[key] = entry
        order.append(key)
        return entry
    }

    /// Moves an entry to `verified`.
    public func markVerified(jws: String) throws(JournalError) {
        try advance(jws, from: .observed, to: .verified) { entry in
            entry.refusal = nil
            entry.transaction = entry.transaction.withoutObjection
        }
    }

    /// Puts an entry that is not recorded into quarantine.
    public func quarantine(jws: String, because code: VerificationFailure.Code) throws(JournalError) {
        guard let entry = entriesByText[ExactText(jws)], entry.stage <= .verified else { throw Self.outOfOrder }
        entriesByText[ExactText(jws)]?.refusal = code
        entriesByText[ExactText(jws)]?.stage = .observed
    }

    /// Moves a verified entry to `recorded`, unless it contradicts what is.
    public func record(
        _ transaction: Transaction, jws: String, for account: UUIDText?
    ) throws(JournalError) -> RecordOutcome {
        let key = ExactText(jws)
        guard let entry = entriesByText[key], entry.stage >= .verified else { throw Self.outOfOrder }
        let siblings = textsByID[ExactText(transaction.id)] ?? []
        if let conflict = conflict(of: transaction, for: account, with: siblings) { return .conflict(conflict) }
        let owner = account ?? siblings.lazy.compactMap { self.entriesByText[$0]?.account }.first
        for sibling in siblings { entriesByText[sibling]?.account = owner }
        guard entry.stage < .recorded else { return .unchanged }
        entriesByText[key]?.stage = .recorded
        entriesByText[key]?.account = owner
        recordedByText[key] = transaction
        textsByID[ExactText(transaction.id), default: []].append(key)
        textsByKey[transaction.purchaseKey, default: []].append(key)
        return siblings.isEmpty ? .inserted : .merged
    }

    private func conflict(
        of transaction: Transaction, for account: UUIDText?, with siblings: [ExactText]
    ) -> RecordConflict? {
        for sibling in siblings {
            if let other = recordedByText[sibling],
                !other.productID.isIdentical(to: transaction.productID)
                    || !other.originalID.isIdentical(to: transaction.originalID)
            {
                return .differentPurchase
            }
            if let owner = entriesByText[sibling]?.account, let account, owner != account {
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
        guard var entry = entriesByText[ExactText(jws)], entry.stage >= earlier else { throw Self.outOfOrder }
        entry.stage = max(entry.stage, stage)
        change(&entry)
        entriesByText[ExactText(jws)] = entry
    }

    private static var outOfOrder: JournalError {
        JournalError(.outOfOrder, "the entry is not at the stage before, or there is none")
    }

    /// Every entry, in the order in which they came.
    public func entries() -> [JournalEntry] { order.compactMap { entriesByText[$0] } }

    /// The recorded entries about one purchase.
    public func recordedEntries(of key: PurchaseKey) -> [JournalEntry] {
        textsByKey[key, default: []].compactMap { entriesByText[$0] }
    }

    /// What has been handed over for a purchase.
    public func fulfilment(of key: PurchaseKey) -> Fulfilment? { fulfilments[key] }

    /// Keeps a renewal info if it is the latest of its subscription.
    public func record(_ renewalInfo: RenewalInfo, jws: String) {
        let key = ExactText(renewalInfo.originalTransactionID)
        if let known = renewals[key], known.info.signedDate >= renewalInfo.signedDate { return }
        renewals[key] = (renewalInfo, jws)
    }

    /// The signed texts of the renewal infos, one a subscription.
    public func renewalInfos() -> [String] { renewals.values.map(\.jws) }

    /// What the service keeps beside the deliveries.
    public func memory() -> JournalMemory { kept }

    /// Replaces what the service keeps beside the deliveries.
    public func save(_ memory: JournalMemory) { kept = memory }
}

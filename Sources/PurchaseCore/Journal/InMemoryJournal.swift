public import ReceiptTypes

/// A journal in memory, for tests and for systems without storage.
///
/// > Important: Its content is lost with the process. The store delivers unfinished transactions again, but not
/// > finished consumables.
public actor InMemoryJournal: PurchaseJournal {
    private struct Row {
        var entry: JournalEntry
        /// The verified transaction and its facts; nil until the entry is verified.
        var verified: (transaction: Transaction, facts: String)?
    }

    /// The rows by number; the number of a later first delivery is higher.
    private var rows: [Int: Row] = [:]
    private var lastNumber = 0
    private var numberByText: [ExactString: Int] = [:]
    private var numbersByID: [ExactString: [Int]] = [:]
    private var numbersByKey: [PurchaseKey: [Int]] = [:]
    private var fulfilments: [PurchaseKey: FulfilledAmount] = [:]
    private var claims: [PurchaseKey: FulfilmentClaim] = [:]
    private var lastClaim = 0
    private var renewals: [ExactString: (info: RenewalInfo, jws: String)] = [:]
    private var storedMemory = JournalMemory()

    /// Creates an empty journal.
    public init() {}

    // MARK: Deliveries

    /// Records a delivery, or returns the existing entry.
    public func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) -> JournalEntry {
        let signedText = ExactString(transaction.signedText)
        if let number = numberByText[signedText], let row = rows[number] { return row.entry }
        let entry = JournalEntry(transaction: transaction, source: source, observedAt: now)
        lastNumber += 1
        rows[lastNumber] = Row(entry: entry)
        numberByText[signedText] = lastNumber
        return entry
    }

    /// Moves an entry to `verified` and out of quarantine, deletes the store's objection, and merges it with the entry
    /// of the same facts.
    public func markVerified(_ transaction: Transaction, signedText: String) throws(JournalError) -> JournalEntry {
        var (number, row) = try find(signedText, from: .observed)
        let facts = transaction.facts
        let id = ExactString(transaction.id)
        if let twin = numbersByID[id]?.first(where: {
            $0 != number && (rows[$0]?.verified?.facts.isIdentical(to: facts) ?? false)
        }), let known = rows[twin] {
            (number, row) = (twin, merge(row, number, transaction, into: known, twin))
        } else if row.verified == nil {
            numbersByID[id, default: []].append(number)
            numbersByKey[transaction.purchaseKey, default: []].append(number)
            row.verified = (transaction, facts)
        }
        row.entry.stage = max(row.entry.stage, .verified)
        row.entry.quarantineReason = nil
        row.entry.transaction = row.entry.transaction.withoutObjection
        rows[number] = row
        return row.entry
    }

    /// Deletes a row, and returns the row of the same facts; with the text of the deleted one, unless that was signed
    /// earlier.
    private func merge(_ row: Row, _ number: Int, _ transaction: Transaction, into known: Row, _ twin: Int) -> Row {
        delete(number)
        guard let verified = known.verified, verified.transaction.signedDate <= transaction.signedDate else {
            return known
        }
        numberByText[ExactString(known.entry.transaction.signedText)] = nil
        numberByText[ExactString(row.entry.transaction.signedText)] = twin
        var merged = known
        merged.entry.transaction = row.entry.transaction
        merged.verified = (transaction, verified.facts)
        guard verified.transaction.signedDate < transaction.signedDate else { return merged }
        // The purchase was in another state in between, for example refunded, and returns to this one.
        let hasReturned = numbersByKey[transaction.purchaseKey, default: []].contains { other in
            guard other != twin, let version = rows[other], version.entry.stage >= .recorded else { return false }
            return version.verified.map { $0.transaction.signedDate >= verified.transaction.signedDate } ?? false
        }
        if hasReturned { merged.entry.stage = min(merged.entry.stage, .verified) }
        return merged
    }

    private func delete(_ number: Int) {
        guard let row = rows.removeValue(forKey: number) else { return }
        numberByText[ExactString(row.entry.transaction.signedText)] = nil
        guard let transaction = row.verified?.transaction else { return }
        numbersByID[ExactString(transaction.id)]?.removeAll { $0 == number }
        numbersByKey[transaction.purchaseKey]?.removeAll { $0 == number }
    }

    /// Moves an entry that is not recorded into quarantine.
    public func quarantine(signedText: String, because code: VerificationFailure.Code) throws(JournalError) {
        let (number, row) = try find(signedText, from: .observed)
        guard row.entry.stage <= .verified else { throw Self.outOfOrder }
        rows[number]?.entry.quarantineReason = code
        rows[number]?.entry.stage = .observed
    }

    /// Moves a verified entry to `recorded`, unless it conflicts with a recorded one.
    public func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?
    ) throws(JournalError) -> RecordOutcome {
        let (number, row) = try find(signedText, from: .verified)
        let versions = recorded(numbersByID[ExactString(transaction.id), default: []]).filter {
            rows[$0]?.verified?.transaction.isVersion(of: transaction) ?? false
        }
        if (versions + [number]).contains(where: { rows[$0]?.verified?.transaction.contradicts(transaction) ?? false })
        {
            return .conflict(.differentPurchase)
        }
        // Also other transactions of the same billing event: the account is that of the purchase.
        let purchase = versions + recorded(numbersByKey[transaction.purchaseKey, default: []]) + [number]
        let owner = purchase.lazy.compactMap { self.rows[$0]?.entry.account }.first
        if let owner, let account, owner != account { return .conflict(.belongsToAnotherAccount) }
        for other in purchase { rows[other]?.entry.account = account ?? owner }
        guard row.entry.stage < .recorded else { return .unchanged }
        rows[number]?.entry.stage = .recorded
        return versions.isEmpty ? .inserted : .merged
    }

    private func recorded(_ numbers: [Int]) -> [Int] {
        numbers.filter { (rows[$0]?.entry.stage ?? .observed) >= .recorded }
    }

    /// Moves a recorded entry to `granted`, stores the fulfilment of the claimed purchase, and ends the claim.
    public func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) throws(JournalError) {
        let (_, row) = try find(signedText, from: .recorded)
        let isRepeated = row.entry.stage >= .granted && fulfilments[claim.key] == fulfilment
        guard isRepeated || stored(claim) != nil else {
            throw JournalError(.claimLost, "the claim of the purchase has ended, or another one has replaced it")
        }
        try advance(signedText, from: .recorded, to: .granted)
        fulfilments[claim.key] = fulfilment
        if stored(claim) != nil { claims[claim.key] = nil }
    }

    /// Moves a granted entry to `finished`.
    public func markFinished(signedText: String) throws(JournalError) {
        try advance(signedText, from: .granted, to: .finished)
    }

    private func advance(_ signedText: String, from earlier: JournalStage, to stage: JournalStage) throws(JournalError)
    {
        let (number, row) = try find(signedText, from: earlier)
        rows[number]?.entry.stage = max(row.entry.stage, stage)
    }

    private func find(_ signedText: String, from stage: JournalStage) throws(JournalError) -> (number: Int, row: Row) {
        guard let number = numberByText[ExactString(signedText)], let row = rows[number], row.entry.stage >= stage
        else { throw Self.outOfOrder }
        return (number, row)
    }

    private static var outOfOrder: JournalError {
        JournalError(.outOfOrder, "the entry is missing or has not reached the required stage")
    }

    // MARK: Fulfilment

    /// Claims a purchase, unless another claim is in force.
    public func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        let earlier = claims[key]
        if let earlier, earlier.isInForce(at: now) { return nil }
        lastClaim += 1
        let claim = FulfilmentClaim(
            key: key, number: lastClaim, start: now, end: end, followsUnanswered: earlier != nil)
        claims[key] = claim
        return claim
    }

    /// Moves the times of a claim, unless it was ended or replaced.
    public func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        guard let renewed = stored(claim)?.renewed(from: now, until: end) else { return nil }
        claims[claim.key] = renewed
        return renewed
    }

    /// Ends a claim; a later claim of the same purchase stays.
    public func release(_ claim: FulfilmentClaim) async throws(JournalError) {
        if let stored = stored(claim) { claims[claim.key] = stored.afterRelease }
    }

    /// Returns a claim as it is stored; nil if it was ended or replaced.
    private func stored(_ claim: FulfilmentClaim) -> FulfilmentClaim? {
        guard let stored = claims[claim.key], stored.number == claim.number, !stored.isReleased else { return nil }
        return stored
    }

    /// Returns the last fulfilment of a purchase.
    public func fulfilment(of key: PurchaseKey) -> FulfilledAmount? { fulfilments[key] }

    // MARK: Reading

    /// Returns all entries in the order of their first delivery.
    public func entries() -> [JournalEntry] { rows.keys.sorted().compactMap { rows[$0]?.entry } }

    /// Returns the recorded entries of one purchase.
    public func recordedEntries(of key: PurchaseKey) -> [JournalEntry] {
        numbersByKey[key, default: []].compactMap { rows[$0]?.entry }.filter { $0.stage >= .recorded }
    }

    /// Deletes every entry in quarantine for which a later delivery of the same transaction has the same reason, and
    /// every entry that is not verified for which there is a later one from the same source.
    public func compact() async throws(JournalError) {
        struct Group: Hashable {
            let id: ExactString
            let productID: ExactString
            /// Nil for an entry that is not in quarantine.
            let reason: VerificationFailure.Code?
            /// Nil for an entry in quarantine.
            let source: DeliverySource?
        }
        var kept: Set<Group> = []
        for number in rows.keys.sorted(by: >) {
            guard let entry = rows[number]?.entry, entry.stage == .observed else { continue }
            let group = Group(
                id: ExactString(entry.transaction.transactionID), productID: ExactString(entry.transaction.productID),
                reason: entry.quarantineReason, source: entry.quarantineReason == nil ? entry.source : nil)
            if !kept.insert(group).inserted { delete(number) }
        }
    }

    // MARK: Renewal infos and memory

    /// Stores a renewal info if it is the latest of its subscription.
    public func record(_ renewalInfo: RenewalInfo, jws: String) {
        let key = ExactString(renewalInfo.originalTransactionID)
        if let known = renewals[key], known.info.signedDate >= renewalInfo.signedDate { return }
        renewals[key] = (renewalInfo, jws)
    }

    /// Returns the JWS of each stored renewal info, one for each subscription.
    public func renewalInfos() -> [String] { renewals.values.map(\.jws) }

    /// Returns the stored clock marks, pending purchases, absences and listings.
    public func memory() -> JournalMemory { storedMemory }

    /// Applies a change to the stored memory, and returns the memory with the change.
    @discardableResult
    public func updateMemory(_ change: @Sendable (inout JournalMemory) -> Void) -> JournalMemory {
        change(&storedMemory)
        return storedMemory
    }
}

internal import PurchaseCore
internal import ReceiptTypes

/// The rules of the journal port as a value: the specification that random histories are compared with.
struct JournalModel {
    struct Row {
        var entry: JournalEntry
        /// Nil until the entry is verified.
        var transaction: Transaction?

        var isRecorded: Bool { entry.stage >= .recorded }

        func isVersion(of other: Transaction) -> Bool { transaction?.isVersion(of: other) ?? false }
        func isPurchase(of other: Transaction) -> Bool { transaction?.purchaseKey == other.purchaseKey }
        func hasFacts(of other: Transaction) -> Bool { transaction?.facts.isIdentical(to: other.facts) ?? false }
    }

    private(set) var rows: [Row] = []
    private(set) var fulfilments: [PurchaseKey: FulfilledAmount] = [:]
    private(set) var renewals: [RenewalSample] = []
    private(set) var memory = JournalMemory()
    private var claims: [FulfilmentClaim] = []

    private func index(_ text: String, from stage: JournalStage) throws(JournalError) -> Int {
        let index = rows.firstIndex { $0.entry.transaction.signedText.isIdentical(to: text) }
        guard let index, rows[index].entry.stage >= stage else { throw JournalError(.outOfOrder, "") }
        return index
    }

    mutating func observe(_ signed: SignedTransaction, _ source: DeliverySource, _ now: Timestamp) -> JournalEntry {
        if let row = rows.first(where: { $0.entry.transaction.signedText.isIdentical(to: signed.signedText) }) {
            return row.entry
        }
        rows.append(Row(entry: JournalEntry(transaction: signed, source: source, observedAt: now)))
        return rows[rows.count - 1].entry
    }

    mutating func verify(_ transaction: Transaction, _ text: String) throws(JournalError) -> JournalEntry {
        var index = try index(text, from: .observed)
        if let twin = rows.indices.first(where: { $0 != index && rows[$0].hasFacts(of: transaction) }) {
            merge(rows[index].entry.transaction, transaction, into: twin)
            rows.remove(at: index)
            index = twin > index ? twin - 1 : twin
        }
        rows[index].transaction = rows[index].transaction ?? transaction
        rows[index].entry.stage = max(rows[index].entry.stage, .verified)
        rows[index].entry.quarantineReason = nil
        rows[index].entry.transaction = rows[index].entry.transaction.withoutObjection
        return rows[index].entry
    }

    private mutating func merge(_ signed: SignedTransaction, _ transaction: Transaction, into twin: Int) {
        guard let known = rows[twin].transaction, known.signedDate <= transaction.signedDate else { return }
        rows[twin].entry.transaction = signed
        rows[twin].transaction = transaction
        guard known.signedDate < transaction.signedDate else { return }
        let hasReturned = rows.indices.contains { other in
            other != twin && rows[other].isRecorded && rows[other].isPurchase(of: transaction)
                && rows[other].transaction.map { $0.signedDate >= known.signedDate } ?? false
        }
        if hasReturned { rows[twin].entry.stage = min(rows[twin].entry.stage, .verified) }
    }

    mutating func quarantine(_ text: String, _ code: VerificationFailure.Code) throws(JournalError) {
        let index = try index(text, from: .observed)
        guard !rows[index].isRecorded else { throw JournalError(.outOfOrder, "") }
        rows[index].entry.stage = .observed
        rows[index].entry.quarantineReason = code
    }

    mutating func record(
        _ transaction: Transaction, _ text: String, _ account: UUIDText?
    ) throws(JournalError) -> RecordOutcome {
        let index = try index(text, from: .verified)
        let versions = rows.indices.filter { rows[$0].isRecorded && rows[$0].isVersion(of: transaction) }
        for version in versions {
            if rows[version].transaction?.contradicts(transaction) ?? false { return .conflict(.differentPurchase) }
        }
        let purchase = rows.indices.filter {
            $0 == index
                || rows[$0].isRecorded
                    && (rows[$0].isPurchase(of: transaction) || rows[$0].isVersion(of: transaction))
        }
        let owner = purchase.compactMap { rows[$0].entry.account }.first
        if let owner, let account, owner != account { return .conflict(.belongsToAnotherAccount) }
        for row in purchase { rows[row].entry.account = account ?? owner }
        guard !rows[index].isRecorded else { return .unchanged }
        rows[index].entry.stage = .recorded
        return versions.isEmpty ? .inserted : .merged
    }

    /// Grants a purchase under a claim; with `needsClaim` false, as a journal without claims does.
    mutating func grant(
        _ text: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim, needsClaim: Bool
    ) throws(JournalError) {
        let index = try index(text, from: .recorded)
        let isRepeated = rows[index].entry.stage >= .granted && fulfilments[claim.key] == fulfilment
        guard !needsClaim || isRepeated || place(of: claim) != nil else { throw JournalError(.claimLost, "") }
        rows[index].entry.stage = max(rows[index].entry.stage, .granted)
        fulfilments[claim.key] = fulfilment
        if let place = place(of: claim) { claims.remove(at: place) }
    }

    mutating func finish(_ text: String) throws(JournalError) {
        rows[try index(text, from: .granted)].entry.stage = .finished
    }

    /// Returns the claim that is made with a number; nil if another one is in force.
    mutating func claim(
        _ key: PurchaseKey, from start: Timestamp, until end: Timestamp, number: Int
    ) -> FulfilmentClaim? {
        let earlier = claims.first { $0.key == key }
        if let earlier, earlier.isInForce(at: start) { return nil }
        claims.removeAll { $0.key == key }
        let claim = FulfilmentClaim(
            key: key, number: number, start: start, end: end, followsUnanswered: earlier != nil)
        claims.append(claim)
        return claim
    }

    mutating func renew(
        _ claim: FulfilmentClaim, from start: Timestamp, until end: Timestamp
    ) -> FulfilmentClaim? {
        guard let place = place(of: claim) else { return nil }
        claims[place] = claims[place].renewed(from: start, until: end)
        return claims[place]
    }

    mutating func release(_ claim: FulfilmentClaim) {
        guard let place = place(of: claim) else { return }
        let released = claims.remove(at: place)
        if let rest = released.afterRelease { claims.append(rest) }
    }

    private func place(of claim: FulfilmentClaim) -> Int? {
        claims.firstIndex { $0.key == claim.key && $0.number == claim.number && !$0.isReleased }
    }

    mutating func compact() {
        let entries = rows.map(\.entry)
        rows = rows.indices.filter { index in
            !entries[(index + 1)...].contains { Self.replaces($0, entries[index]) }
        }.map { rows[$0] }
    }

    /// Returns whether a later entry makes one that is not verified unnecessary.
    private static func replaces(_ later: JournalEntry, _ entry: JournalEntry) -> Bool {
        guard entry.stage == .observed, later.stage == .observed, entry.quarantineReason == later.quarantineReason,
            entry.transaction.transactionID.isIdentical(to: later.transaction.transactionID),
            entry.transaction.productID.isIdentical(to: later.transaction.productID)
        else { return false }
        return entry.quarantineReason != nil || entry.source == later.source
    }

    mutating func record(_ renewal: RenewalSample) {
        guard let known = renewals.firstIndex(where: { $0.originalID.isIdentical(to: renewal.originalID) }) else {
            renewals.append(renewal)
            return
        }
        if renewals[known].signed < renewal.signed { renewals[known] = renewal }
    }

    mutating func updateMemory(_ change: (inout JournalMemory) -> Void) { change(&memory) }
}

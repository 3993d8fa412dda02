internal import ReceiptTypes

/// The signed texts that a running service has verified, and what it keeps in memory instead of writing it.
///
/// A signed text never changes, and its verification costs more than everything else here. Each run verifies every text
/// of the ledger once, because an attacker can edit the ledger.
struct Intake: Sendable {
    /// What became of a delivery.
    enum Outcome: Sendable {
        /// The transaction is recorded; `isNew` says whether it was not recorded before.
        case recorded(Transaction, isNew: Bool)
        /// The transaction is not verified.
        case unverified(VerificationFailure)
        /// The transaction is verified, but contradicts a recorded one.
        case conflict(Transaction, RecordConflict)
        /// The ledger failed; the store will deliver the transaction again.
        case notRecorded(LedgerError)
    }

    /// The verified transactions by signed text.
    private var transactions: [ExactString: Transaction] = [:]
    /// The contents of the verified app receipts by base64.
    private var receipts: [ExactString: AppReceiptContents] = [:]
    /// The verified renewal infos by JWS, so that they count even while the verifier does not answer.
    private var renewals: [ExactString: RenewalInfo] = [:]
    /// What was delivered while no account was signed in and is not written, by facts; see
    /// ``PurchaseService/signOut()``.
    private var unwritten: [ExactString: LedgerEntry] = [:]
    /// The renewal infos that are not written for the same reason, by the id of the subscription's first transaction.
    private var unwrittenRenewals: [ExactString: String] = [:]
    /// The account whose app receipt has a purchase, by transaction id; nil before the ledger was read.
    private var receiptAccounts: [ExactString: UUIDText]?
    /// The number of deliveries that were not verified since the ledger was compacted in this run; nil before.
    private var unverifiedSinceCompaction: Int?

    // MARK: Verified texts

    /// Returns the transaction that a signed text was verified to be.
    func transaction(of signedText: String) -> Transaction? { transactions[ExactString(signedText)] }

    /// Keeps the transaction of a verified text.
    mutating func keep(_ transaction: Transaction, of signedText: String) {
        transactions[ExactString(signedText)] = transaction
    }

    /// Drops the texts that a later signature of the same facts has replaced in the ledger.
    mutating func dropTransactions(notIn entries: [LedgerEntry]) {
        guard transactions.count > entries.count else { return }
        let current = Set(entries.map { ExactString($0.transaction.signedText) })
        transactions = transactions.filter { current.contains($0.key) }
    }

    /// Returns the contents of an app receipt that was verified.
    func contents(of receipt: SignedAppReceipt) -> AppReceiptContents? { receipts[ExactString(receipt.base64)] }

    /// Keeps the contents of a verified app receipt.
    mutating func keep(_ contents: AppReceiptContents, of receipt: SignedAppReceipt) {
        receipts[ExactString(receipt.base64)] = contents
    }

    /// Drops the app receipts that later ones have replaced in the ledger, where one that is being restored is missing.
    mutating func dropReceipts(notIn recorded: [SignedAppReceipt]) {
        guard receipts.count > recorded.count + 1 else { return }
        let current = Set(recorded.map { ExactString($0.base64) })
        receipts = receipts.filter { current.contains($0.key) }
    }

    /// Returns the renewal info that a JWS was verified to be.
    func renewal(of jws: String) -> RenewalInfo? { renewals[ExactString(jws)] }

    /// Keeps the renewal info of a verified JWS.
    mutating func keep(_ info: RenewalInfo, of jws: String) { renewals[ExactString(jws)] = info }

    /// Drops the renewal infos that later ones have replaced.
    mutating func dropRenewals(notIn stored: [String]) {
        guard renewals.count > stored.count else { return }
        let current = Set(stored.map(ExactString.init))
        renewals = renewals.filter { current.contains($0.key) }
    }

    // MARK: What is not written

    /// Returns whether a user's service may write a delivery to the ledger; see ``PurchaseService/signOut()``.
    ///
    /// - Parameter result: The result of its verification, if no account was signed in before.
    static func mayWrite(
        _ delivery: SignedTransaction, from source: DeliverySource, _ result: VerificationResult<Transaction>?,
        by user: AppUser
    ) -> Bool {
        guard user == .signedOut else { return true }
        guard source.awaitsFinish else { return false }
        if let transaction = result?.verifiedPayload { return transaction.appAccountToken == nil }
        return UnverifiedDelivery(delivery.content).account == nil
    }

    /// The deliveries that are not written.
    var unwrittenEntries: [LedgerEntry] { Array(unwritten.values) }

    /// Returns the deliveries of the user's account that are not written.
    func unwrittenEntries(of user: AppUser) -> [LedgerEntry] {
        unwritten.values.filter { $0.account != nil && $0.account == user.account }
    }

    /// Keeps a verified delivery that is not written.
    mutating func keepUnwritten(_ entry: LedgerEntry, _ transaction: Transaction) {
        unwritten[ExactString(transaction.facts)] = entry
    }

    /// Forgets a delivery that was not written, because it is processed again.
    mutating func forgetUnwritten(_ transaction: Transaction) { unwritten[ExactString(transaction.facts)] = nil }

    /// The renewal infos that are not written.
    var unwrittenRenewalInfos: [String] { Array(unwrittenRenewals.values) }

    /// Keeps a renewal info that is not written.
    mutating func keepUnwritten(_ info: RenewalInfo, _ jws: String) {
        unwrittenRenewals[ExactString(info.originalTransactionID)] = jws
    }

    /// Forgets the renewal info of a subscription that was not written, because another one has arrived.
    mutating func forgetUnwritten(_ info: RenewalInfo) {
        unwrittenRenewals[ExactString(info.originalTransactionID)] = nil
    }

    // MARK: Known deliveries

    /// Returns whether a verified delivery of a list changes nothing, so that it need not be recorded again.
    ///
    /// - Parameter row: The row of the delivery, which was handed over.
    func isUnchanged(_ transaction: Transaction, _ row: DeliveryRow, for user: AppUser) -> Bool {
        guard unwritten.isEmpty else { return false }
        let owner = transaction.appAccountToken ?? (user == .noAccounts ? nil : row.account)
        guard row.account == owner, user == .noAccounts || owner != nil, user.mayOwn(owner) else { return false }
        guard Self.mayBelongToReceipt(transaction, user) else { return true }
        guard let receiptAccounts else { return false }
        return receiptAccounts[ExactString(transaction.id)].map { $0 == owner } ?? true
    }

    /// Returns whether the account whose app receipt has a transaction decides for whom it is.
    static func mayBelongToReceipt(_ transaction: Transaction, _ user: AppUser) -> Bool {
        user.account != nil && transaction.appAccountToken == nil && transaction.play == nil
    }

    /// Whether the accounts of the recorded app receipts are known.
    var knowsReceiptAccounts: Bool { receiptAccounts != nil }

    /// Returns the account whose app receipt has a transaction; nil if there is none.
    func receiptAccount(of transaction: Transaction) -> UUIDText? { receiptAccounts?[ExactString(transaction.id)] }

    /// Notes the account whose app receipt has each purchase that the store itself has not delivered for another one.
    mutating func noteReceiptAccounts(_ accounts: [ExactString: UUIDText]) { receiptAccounts = accounts }

    // MARK: Compaction

    /// The number of unverified deliveries after which the ledger is compacted again.
    static let compactionInterval = 100

    /// Notes a delivery that is not verified; each has an entry of its own.
    mutating func noteUnverified() { unverifiedSinceCompaction? += 1 }

    /// Begins to compact the ledger, once in a run and again after many unverified deliveries.
    ///
    /// - Returns: The compaction, for ``undo(_:)`` if it fails; nil if none is due.
    mutating func beginCompaction() -> Compaction? {
        guard unverifiedSinceCompaction.map({ $0 >= Self.compactionInterval }) ?? true else { return nil }
        defer { unverifiedSinceCompaction = 0 }
        return Compaction(unverified: unverifiedSinceCompaction)
    }

    /// Makes a compaction that has failed due again.
    mutating func undo(_ compaction: Compaction) { unverifiedSinceCompaction = compaction.unverified }

    /// A compaction that has begun.
    struct Compaction: Sendable {
        /// The number of unverified deliveries before it.
        fileprivate let unverified: Int?
    }
}

extension Intake.Outcome {
    /// The transaction, if it is recorded.
    var recorded: Transaction? {
        if case .recorded(let transaction, _) = self { transaction } else { nil }
    }

    /// The reason that the delivery is rejected; nil if it is recorded or will be.
    var failure: VerificationFailure? {
        switch self {
        case .unverified(let failure): failure
        case .conflict(_, let conflict): conflict.failure
        case .recorded, .notRecorded: nil
        }
    }

    /// Whether the verifier or the ledger has not answered in time.
    var hasTimedOut: Bool {
        switch self {
        case .unverified(let failure): failure.isTimeout
        case .notRecorded(let error): error.code == .timedOut
        case .recorded, .conflict: false
        }
    }
}

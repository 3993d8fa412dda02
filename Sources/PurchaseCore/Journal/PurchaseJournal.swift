public import ReceiptTypes

/// The port to durable storage: the record of every delivery of a store, across launches.
///
/// Each call is one commit: when it returns, its change is durable; when it throws, nothing has changed. Each call may
/// be repeated, and none moves an entry back to an earlier stage, except into quarantine and when a purchase returns to
/// an earlier state. The signed text identifies an entry, byte by byte; entries with the same ``Transaction/facts``
/// become one.
///
/// To write one, see <doc:WritingAStoreAndAJournal>.
public protocol PurchaseJournal: Sendable {
    /// Records a delivery before it is processed, and returns its entry: a new one, or the existing one.
    func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(JournalError) -> JournalEntry

    /// Moves an entry to ``JournalStage/verified`` and out of quarantine, deletes the store's objection, and merges it
    /// with the entry of the same facts.
    ///
    /// A store signs a transaction again whenever it delivers it. If another entry has the same ``Transaction/facts``,
    /// the two become one: with the source, the time, the stage and the account of the other entry, and with the given
    /// text unless the other one was signed later. At equal dates the given text is the better one: it has just been
    /// verified, and the other one may no longer be. If a later text replaces the other one and another recorded
    /// version of the purchase was signed at the time of the replaced one or after it, the purchase has returned to an
    /// earlier state, for example because a refund was reversed; then the entry goes back to
    /// ``JournalStage/verified``, so that it is recorded and granted again.
    ///
    /// - Returns: The entry, which can have another text than the given one.
    func markVerified(_ transaction: Transaction, signedText: String) async throws(JournalError) -> JournalEntry

    /// Moves an entry that is not recorded into quarantine, and back to ``JournalStage/observed``.
    func quarantine(signedText: String, because code: VerificationFailure.Code) async throws(JournalError)

    /// Moves a verified entry to ``JournalStage/recorded``, unless it conflicts with a recorded one.
    ///
    /// The check and the change are one commit. A conflict is another recorded entry with the same transaction id that
    /// ``Transaction/contradicts(_:)``, or a recorded entry of the same purchase with a different account: two
    /// transactions of one billing event are one purchase. An account takes over the entries of its purchase without
    /// one, and an entry that is recorded without an account gets that of its purchase.
    func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome

    /// Claims a purchase for handing it over, unless another claim of it is in force.
    ///
    /// The check and the change are one commit. A claim whose time is over stays until ``release(_:)``,
    /// ``markGranted(signedText:_:under:)`` or the next claim, which then has ``FulfilmentClaim/followsUnanswered``.
    ///
    /// A claim excludes others for a minute at most, even if its stored end is later: create it with
    /// ``FulfilmentClaim/init(key:number:start:end:followsUnanswered:)``, which limits the end, and ask
    /// ``FulfilmentClaim/isInForce(at:)``. So times that are damaged, or that were stored while the device's clock was
    /// ahead, keep no purchase from being handed over.
    ///
    /// Without this method, two services over one journal can hand a purchase over twice.
    ///
    /// - Returns: The claim; nil if another one is in force.
    func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim?

    /// Moves the times of a stored claim, in force or not, so that it excludes others while the order takes its time.
    ///
    /// ``FulfilmentClaim/renewed(from:until:)`` of the stored claim keeps what the claim follows.
    ///
    /// - Returns: The claim with the new times; nil if it was ended, or if a later claim has replaced it.
    func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim?

    /// Replaces a claim whose fulfilment has failed by ``FulfilmentClaim/afterRelease``; a later claim of the same
    /// purchase stays.
    func release(_ claim: FulfilmentClaim) async throws(JournalError)

    /// Moves a recorded entry to ``JournalStage/granted``, stores the amount of the claimed purchase, and ends the
    /// claim.
    ///
    /// It throws ``JournalError/Code/claimLost`` if the claim is not stored, or was released: a service whose claim was
    /// replaced must not overwrite what the later one does. The times of the claim do not matter. A call whose effect
    /// is stored already, the stage and this amount, changes nothing but the end of its own claim, so a call can be
    /// repeated.
    func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) async throws(JournalError)

    /// Moves a granted entry to ``JournalStage/finished``.
    func markFinished(signedText: String) async throws(JournalError)

    /// Returns all entries in the order of their first delivery.
    func entries() async throws(JournalError) -> [JournalEntry]

    /// Returns the recorded entries of one purchase, in any order.
    func recordedEntries(of key: PurchaseKey) async throws(JournalError) -> [JournalEntry]

    /// Deletes entries that no decision needs, and merges entries with the same facts. The service calls it once in a
    /// run, and again after every hundred deliveries that were not verified.
    ///
    /// Of the entries in quarantine with the same transaction id, product id and reason, only the latest is needed. Of
    /// the entries that are neither verified nor in quarantine, it is the latest with the same transaction id, product
    /// id and source: a store signs again what it delivers again. Entries with the same facts exist only in a journal
    /// that an earlier version has written.
    func compact() async throws(JournalError)

    /// Returns the amount that the last ``markGranted(signedText:_:under:)`` of a purchase has stored; nil if there was
    /// none.
    func fulfilment(of key: PurchaseKey) async throws(JournalError) -> FulfilledAmount?

    /// Stores a verified renewal info, unless the one stored for the subscription has the same or a later signing date.
    func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError)

    /// Returns the JWS of each stored renewal info, one for each subscription, in any order.
    func renewalInfos() async throws(JournalError) -> [String]

    /// Returns the stored clock marks, pending purchases, absences and listings; empty ones if none were stored.
    func memory() async throws(JournalError) -> JournalMemory

    /// Applies a change to the stored memory, and returns the memory with the change.
    ///
    /// Reading, changing and storing are one commit: no change of another service over this journal is lost. A journal
    /// may apply the change again, for example after a conflict with another process, and stores only the last result.
    func updateMemory(
        _ change: @escaping @Sendable (inout JournalMemory) -> Void
    ) async throws(JournalError) -> JournalMemory
}

// For journals that only one service uses, and that an earlier version of this package has not written.
extension PurchaseJournal {
    /// Returns a claim without storing it, so two services over one journal can hand a purchase over twice.
    public func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        FulfilmentClaim(key: key, number: 0, start: now, end: end)
    }

    /// Returns the claim with the new times without storing it.
    public func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        claim.renewed(from: now, until: end)
    }

    /// Does nothing.
    public func release(_ claim: FulfilmentClaim) async throws(JournalError) {}

    /// Does nothing.
    public func compact() async throws(JournalError) {}
}

/// The result of recording a transaction.
public enum RecordOutcome: Sendable, Hashable {
    /// The entry is the first recorded version of its transaction.
    case inserted
    /// Another version of the transaction had been recorded; both are kept.
    case merged
    /// The entry had already been recorded.
    case unchanged
    /// The entry contradicts a recorded one and is not recorded.
    case conflict(RecordConflict)
}

/// The reason that a transaction contradicts a recorded one.
public enum RecordConflict: String, Sendable, Hashable {
    /// The purchase belongs to another account of the app.
    case belongsToAnotherAccount = "belongs-to-another-account"
    /// The transaction id is recorded for another product or another original transaction.
    case differentPurchase = "different-purchase"
}

/// Whether the fulfiller has granted or revoked a purchase.
public enum Fulfilment: String, Sendable, Hashable {
    /// The customer has received the purchase.
    case granted
    /// The purchase was taken back from the customer, or was refunded before it was granted.
    case revoked
}

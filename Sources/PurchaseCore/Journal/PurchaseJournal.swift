public import ReceiptTypes

/// The port to durable storage: the record of every delivery of a store, across launches.
///
/// Each call is one commit: when it returns, its change is durable; when it throws, nothing has changed. Each call may be
/// repeated, and none moves an entry back to an earlier stage, except into quarantine. The JWS identifies an entry, byte by
/// byte.
///
/// To write one, see <doc:WritingAStoreAndAJournal>.
public protocol PurchaseJournal: Sendable {
    /// Records a delivery before it is processed, and returns its entry: a new one, or the existing one.
    func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(JournalError) -> JournalEntry

    /// Moves an entry to ``JournalStage/verified`` and out of quarantine, and deletes the store's objection.
    func markVerified(jws: String) async throws(JournalError)

    /// Moves an entry that is not recorded into quarantine, and back to ``JournalStage/observed``.
    func quarantine(jws: String, because code: VerificationFailure.Code) async throws(JournalError)

    /// Moves a verified entry to ``JournalStage/recorded``, unless it conflicts with a recorded one.
    ///
    /// The check and the change are one commit. A conflict is another recorded entry with the same transaction id and a
    /// different original id, product or account. An account takes over entries without one.
    func record(
        _ transaction: Transaction, jws: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome

    /// Moves a recorded entry to ``JournalStage/granted``, and stores the fulfilment of its purchase.
    func markGranted(jws: String, _ fulfilment: Fulfilment, of key: PurchaseKey) async throws(JournalError)

    /// Moves a granted entry to ``JournalStage/finished``.
    func markFinished(jws: String) async throws(JournalError)

    /// Returns all entries in the order of their first delivery.
    func entries() async throws(JournalError) -> [JournalEntry]

    /// Returns the recorded entries of one purchase, in any order.
    func recordedEntries(of key: PurchaseKey) async throws(JournalError) -> [JournalEntry]

    /// Returns the last fulfilment of a purchase; nil if there was none.
    func fulfilment(of key: PurchaseKey) async throws(JournalError) -> Fulfilment?

    /// Stores a verified renewal info, unless the one stored for the subscription has the same or a later signing date.
    func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError)

    /// Returns the JWS of each stored renewal info, one for each subscription, in any order.
    func renewalInfos() async throws(JournalError) -> [String]

    /// Returns the saved clock marks and pending purchases; empty ones if none were saved.
    func memory() async throws(JournalError) -> JournalMemory

    /// Replaces the saved clock marks and pending purchases.
    func save(_ memory: JournalMemory) async throws(JournalError)
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

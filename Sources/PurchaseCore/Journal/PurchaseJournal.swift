public import ReceiptTypes

/// What the service remembers of everything that stores have delivered, across restarts.
///
/// Every call is one commit: when it returns, what it wrote is durable, and when it throws, nothing has changed. Each
/// step may be repeated; none takes an entry back to an earlier stage. An entry is found by its signed text, byte by
/// byte.
public protocol PurchaseJournal: Sendable {
    /// Notes a delivery before anything is done with it, and returns its entry: a new one, or the one that there is.
    func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(JournalError) -> JournalEntry

    /// Moves an entry to ``JournalStage/verified``, out of quarantine, and forgets what the store had against it.
    func markVerified(jws: String) async throws(JournalError)

    /// Puts an entry that is not verified into quarantine.
    func quarantine(jws: String, because code: VerificationFailure.Code) async throws(JournalError)

    /// Moves a verified entry to ``JournalStage/recorded``, unless it contradicts what is recorded.
    ///
    /// A conflict is found out and reported in the same commit: another text with the transaction's id is recorded for
    /// another original id or product, or for another account. An account takes over what was nobody's.
    func record(
        _ transaction: Transaction, jws: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome

    /// Moves a recorded entry to ``JournalStage/granted``, and notes what has been handed over for its purchase.
    func markGranted(jws: String, _ fulfilment: Fulfilment, of key: PurchaseKey) async throws(JournalError)

    /// Moves a granted entry to ``JournalStage/finished``.
    func markFinished(jws: String) async throws(JournalError)

    /// Every entry, in the order in which they came.
    func entries() async throws(JournalError) -> [JournalEntry]

    /// The recorded entries about one purchase, in the order in which they came.
    func recordedEntries(of key: PurchaseKey) async throws(JournalError) -> [JournalEntry]

    /// What has been handed over for a purchase; nil where nothing was yet.
    func fulfilment(of key: PurchaseKey) async throws(JournalError) -> Fulfilment?

    /// Keeps a verified renewal info, if it is signed later than the one that is there for the subscription.
    func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError)

    /// The signed texts of the renewal infos that are kept, one a subscription.
    func renewalInfos() async throws(JournalError) -> [String]

    /// What the service keeps beside the deliveries.
    func memory() async throws(JournalError) -> JournalMemory

    /// Replaces what the service keeps beside the deliveries.
    func save(_ memory: JournalMemory) async throws(JournalError)
}

public import ReceiptTypes

/// The rows of a ledger within a transaction: find, put and delete, and no decision.
///
/// A row that another program has changed is not returned; it counts as missing until it is put again. Ids, keys and
/// texts are compared byte by byte, without Unicode normalization.
public protocol LedgerRows {
    /// Returns the digest under which a text is stored: two texts have the same one only if their bytes are the same.
    ///
    /// A database returns the SHA-256 digest, and a ledger in memory can return the bytes themselves.
    func digest(of text: String) throws(LedgerError) -> TextDigest

    // MARK: Deliveries

    /// Returns the delivery of a signed text.
    func delivery(_ text: TextDigest) throws(LedgerError) -> DeliveryRow?

    /// Returns all deliveries in the order in which they were inserted.
    func deliveries() throws(LedgerError) -> [DeliveryRow]

    /// Returns the verified deliveries with a ``Transaction/versionID``, in the order in which they were inserted.
    func deliveries(ofVersion id: String) throws(LedgerError) -> [DeliveryRow]

    /// Returns the verified deliveries of one purchase, in the order in which they were inserted.
    func deliveries(of key: PurchaseKey) throws(LedgerError) -> [DeliveryRow]

    /// Returns the signed content of a delivery, a purchase or a renewal info.
    func content(_ text: TextDigest) throws(LedgerError) -> SignedContent?

    /// Inserts a delivery with its signed content behind all others.
    mutating func insert(_ row: DeliveryRow, _ content: SignedContent) throws(LedgerError)

    /// Replaces the delivery of a signed text, which keeps its place in the order; nothing happens if there is none.
    ///
    /// The new row may have the text of another delivery that this transaction has deleted. A content that no row has
    /// at the end of the transaction is deleted then.
    mutating func replace(_ text: TextDigest, by row: DeliveryRow) throws(LedgerError)

    /// Deletes the delivery of a signed text, readable or not; nothing happens if there is none.
    mutating func deleteDelivery(_ text: TextDigest) throws(LedgerError)

    // MARK: Purchases and their events

    /// Returns a purchase of any user.
    func purchase(_ id: Purchase.ID) throws(LedgerError) -> PurchaseRow?

    /// Returns the purchases of all users with a transaction id, in any order.
    func purchases(ofTransaction id: String) throws(LedgerError) -> [PurchaseRow]

    /// Returns the purchases of a user, the latest first: of an account those that belong to it, while none is signed
    /// in those that belong to none, and without accounts all.
    ///
    /// Of purchases with one date, the one that was put first is the last one.
    func purchases(of user: AppUser) throws(LedgerError) -> [PurchaseRow]

    /// Stores a purchase, and appends the events of the change for its user; an earlier state of the same purchase is
    /// replaced.
    ///
    /// - Parameters:
    ///   - row: The purchase. Its text is that of a delivery or of the earlier state.
    ///   - events: The events, each of which has the new state.
    ///   - now: The time of the events.
    mutating func put(_ row: PurchaseRow, _ events: [PurchaseEvent.Kind], at now: Timestamp) throws(LedgerError)

    /// Returns the events of a user after the one with an id, in ascending order; nil returns them from the first one.
    ///
    /// A ledger may delete the oldest events beyond a limit. An id is never used again.
    func events(of user: AppUser, since id: PurchaseEvent.ID?) throws(LedgerError) -> [PurchaseEvent]

    // MARK: Hand-overs

    /// Returns what was handed over of a purchase.
    func fulfilment(of key: PurchaseKey) throws(LedgerError) -> FulfilledAmount?

    /// Stores what was handed over of a purchase.
    mutating func put(_ fulfilment: FulfilledAmount, of key: PurchaseKey) throws(LedgerError)

    /// Returns what is left of a purchase whose user was erased.
    func tombstone(of key: PurchaseKey) throws(LedgerError) -> ErasedPurchase?

    /// Deletes what is left of a purchase whose user was erased; nothing happens if there is none.
    mutating func deleteTombstone(of key: PurchaseKey) throws(LedgerError)

    /// Returns the claim of a purchase, in force or not.
    func claim(of key: PurchaseKey) throws(LedgerError) -> FulfilmentClaim?

    /// Stores a claim; an earlier one of the same purchase is replaced.
    mutating func put(_ claim: FulfilmentClaim) throws(LedgerError)

    /// Deletes the claim of a purchase; nothing happens if there is none.
    mutating func deleteClaim(of key: PurchaseKey) throws(LedgerError)

    /// Returns a number that no claim of this ledger has had.
    mutating func nextClaimNumber() throws(LedgerError) -> Int

    // MARK: Renewal infos and memory

    /// Returns the renewal info of each subscription, in any order.
    func renewals() throws(LedgerError) -> [RenewalRow]

    /// Returns the renewal info of a subscription.
    func renewal(of originalID: String) throws(LedgerError) -> RenewalRow?

    /// Stores a renewal info with its JWS; an earlier one of the same subscription is replaced.
    mutating func put(_ renewal: RenewalRow, jws: String) throws(LedgerError)

    /// Returns the stored memory; an empty one if none is stored.
    func memory() throws(LedgerError) -> LedgerMemory

    /// Stores the memory.
    mutating func put(_ memory: LedgerMemory) throws(LedgerError)
}

/// The digest of a text, by which a ledger finds and compares it.
public struct TextDigest: Sendable, Hashable {
    /// The bytes of the digest.
    public let bytes: [UInt8]

    /// Creates a digest.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// What a ledger keeps of a purchase whose user was erased, so that it is not granted again.
public struct ErasedPurchase: Sendable, Hashable {
    /// What was handed over of the purchase; nil if that is not known.
    public let fulfilment: FulfilledAmount?

    /// Creates a tombstone.
    public init(_ fulfilment: FulfilledAmount?) {
        self.fulfilment = fulfilment
    }
}

/// The latest renewal info of a subscription, without its JWS.
public struct RenewalRow: Sendable, Hashable {
    /// The id of the subscription's first transaction.
    public let originalID: String
    /// The date on which the store has signed the info.
    public let signedDate: Timestamp
    /// The digest of the JWS.
    public let text: TextDigest

    /// Creates a row.
    public init(originalID: String, signedDate: Timestamp, text: TextDigest) {
        self.originalID = originalID
        self.signedDate = signedDate
        self.text = text
    }
}

public import ReceiptTypes

/// A delivery as a ledger keeps it, without its signed content.
///
/// See ``LedgerEntry`` for what the fields mean.
public struct DeliveryRow: Sendable, Hashable {
    /// What is kept of a verified transaction, to find other versions of it without verifying them again.
    public struct Verified: Sendable, Hashable {
        /// The ``Transaction/versionID``.
        public let versionID: String
        /// The digest of the ``Transaction/commonFacts``.
        public let commonFacts: TextDigest
        /// The ``PurchaseKey/description`` of the ``Transaction/purchaseKey``.
        public let purchase: String
        /// The digest of the ``Transaction/facts``.
        public let facts: TextDigest
        /// The date on which the store has signed the text.
        public let signedDate: Timestamp

        /// Creates a value.
        public init(
            versionID: String, commonFacts: TextDigest, purchase: String, facts: TextDigest, signedDate: Timestamp
        ) {
            self.versionID = versionID
            self.commonFacts = commonFacts
            self.purchase = purchase
            self.facts = facts
            self.signedDate = signedDate
        }

        init(_ transaction: Transaction, in rows: some LedgerRows) throws(LedgerError) {
            self.init(
                versionID: transaction.versionID, commonFacts: try rows.digest(of: transaction.commonFacts),
                purchase: transaction.purchaseKey.description, facts: try rows.digest(of: transaction.facts),
                signedDate: transaction.signedDate)
        }
    }

    /// The digest of the signed text, which identifies the delivery.
    public var text: TextDigest
    /// Whether the purchase was made in Google Play.
    public let isPlay: Bool
    /// The transaction's id according to the store, not verified.
    public var transactionID: String
    /// The product's id according to the store, not verified.
    public var productID: String
    /// The reason that the store itself rejects the delivery.
    public var objection: String?
    /// The source of the first delivery.
    public let source: DeliverySource
    /// The time of the first delivery by the device's clock.
    public let observedAt: Timestamp
    /// The stage that the delivery has reached.
    public var stage: DeliveryStage
    /// The reason that the delivery is in quarantine.
    public var quarantineReason: VerificationFailure.Code?
    /// The account that the purchase belongs to.
    public var account: UUIDText?
    /// What is kept of the verified transaction; nil until the delivery is verified.
    public var verified: Verified?

    /// Creates a row.
    public init(
        text: TextDigest, isPlay: Bool, transactionID: String, productID: String, objection: String?,
        source: DeliverySource, observedAt: Timestamp, stage: DeliveryStage = .observed,
        quarantineReason: VerificationFailure.Code? = nil, account: UUIDText? = nil, verified: Verified? = nil
    ) {
        self.text = text
        self.isPlay = isPlay
        self.transactionID = transactionID
        self.productID = productID
        self.objection = objection
        self.source = source
        self.observedAt = observedAt
        self.stage = stage
        self.quarantineReason = quarantineReason
        self.account = account
        self.verified = verified
    }

    /// Creates the row of a delivery that has just arrived.
    init(_ delivery: SignedTransaction, _ text: TextDigest, from source: DeliverySource, at now: Timestamp) {
        let isPlay = if case .play = delivery.content { true } else { false }
        self.init(
            text: text, isPlay: isPlay, transactionID: delivery.transactionID, productID: delivery.productID,
            objection: delivery.objection, source: source, observedAt: now)
    }

    /// Takes the text of another delivery, which has the same facts.
    mutating func take(_ other: DeliveryRow, _ verified: Verified) {
        text = other.text
        transactionID = other.transactionID
        productID = other.productID
        objection = other.objection
        self.verified = verified
    }

    /// Returns the entry with the signed content.
    package func entry(_ content: SignedContent) -> LedgerEntry {
        LedgerEntry(
            transaction: SignedTransaction(
                content, transactionID: transactionID, productID: productID, objection: objection),
            source: source, observedAt: observedAt, stage: stage, quarantineReason: quarantineReason, account: account)
    }
}

public import ReceiptTypes

/// One signed text that a store has delivered, and what has become of it.
///
/// The text is what makes an entry: a refund has the id of its purchase and is another text, and a second delivery of
/// the same text is the same entry.
public struct JournalEntry: Sendable, Hashable {
    /// What was delivered.
    public var transaction: SignedTransaction
    /// The way by which it came first.
    public let source: DeliverySource
    /// When it came first, by the clock of the device.
    public let observedAt: Timestamp
    /// How far it has come.
    public var stage: JournalStage
    /// Why it is in quarantine; nil where it is not. It is kept for support, grants nothing and is not finished.
    public var refusal: VerificationFailure.Code?
    /// The account that the purchase belongs to; nil where it is nobody's in particular.
    public var account: UUIDText?

    /// Describes an entry.
    public init(
        transaction: SignedTransaction,
        source: DeliverySource,
        observedAt: Timestamp,
        stage: JournalStage = .observed,
        refusal: VerificationFailure.Code? = nil,
        account: UUIDText? = nil
    ) {
        self.transaction = transaction
        self.source = source
        self.observedAt = observedAt
        self.stage = stage
        self.refusal = refusal
        self.account = account
    }
}

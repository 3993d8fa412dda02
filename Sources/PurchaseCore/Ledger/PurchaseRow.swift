public import ReceiptTypes

/// A recorded purchase as a ledger keeps it: the current state, and the version that it was read from.
///
/// The facts are stored, because only a verifier can read them from the signed text, and a list of purchases must not
/// wait for one. What a product unlocks is not stored; see ``Purchase/listedFeatures``.
public struct PurchaseRow: Sendable, Hashable {
    /// The current state, without features.
    public var purchase: Purchase
    /// The digest of the signed text of the version.
    public var text: TextDigest
    /// The date on which the store has signed the version.
    public var signedDate: Timestamp
    /// The time of the first recording by the device's clock.
    public let recordedAt: Timestamp
    /// The time of the last change by the device's clock.
    public var changedAt: Timestamp

    /// Creates a row.
    public init(
        purchase: Purchase, text: TextDigest, signedDate: Timestamp, recordedAt: Timestamp, changedAt: Timestamp
    ) {
        self.purchase = purchase
        self.text = text
        self.signedDate = signedDate
        self.recordedAt = recordedAt
        self.changedAt = changedAt
    }
}

public import ReceiptTypes

/// A signed transaction that a store has delivered, or an app receipt, and how far it was processed.
///
/// The signed text identifies the entry. A refund has the transaction id of its purchase and other facts, so it has its
/// own entry. A redelivery of the same text, or of the same facts under a new signature, has the same entry.
public struct LedgerEntry: Sendable, Hashable {
    /// The delivered transaction; of several signatures of the same facts, the latest, and of several with that date,
    /// the one that was verified last.
    public var transaction: SignedTransaction
    /// The source of the first delivery.
    public let source: DeliverySource
    /// The time of the first delivery by the device's clock.
    public let observedAt: Timestamp
    /// The stage that the entry has reached.
    public var stage: DeliveryStage
    /// The reason that the entry is in quarantine; nil if it is not.
    ///
    /// An entry in quarantine is kept for support. It unlocks nothing and is not finished.
    public var quarantineReason: VerificationFailure.Code?
    /// The account that the purchase belongs to; nil if it is not bound to an account.
    public var account: UUIDText?

    /// Creates an entry.
    public init(
        transaction: SignedTransaction,
        source: DeliverySource,
        observedAt: Timestamp,
        stage: DeliveryStage = .observed,
        quarantineReason: VerificationFailure.Code? = nil,
        account: UUIDText? = nil
    ) {
        self.transaction = transaction
        self.source = source
        self.observedAt = observedAt
        self.stage = stage
        self.quarantineReason = quarantineReason
        self.account = account
    }
}

/// The stages of a delivery; each is durable before the next one begins.
public enum DeliveryStage: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// The delivery has arrived and is not verified.
    case observed
    /// The signature and the claims are verified.
    case verified
    /// The purchase counts: entitlements and balances include it from here on.
    case recorded
    /// The fulfilment is done: the purchase is granted or revoked.
    case granted
    /// The transaction is finished in the store, or the store no longer lists it as unfinished.
    case finished

    /// Returns whether the first stage comes before the second.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The part of a store's interface that delivered a transaction.
public enum DeliverySource: String, Sendable, Hashable, CaseIterable {
    /// The answer to a purchase.
    case purchase
    /// The store's updates.
    case update
    /// The store's list of unfinished transactions.
    case unfinished
    /// The store's list of current entitlements.
    case entitlement
    /// The store's purchase history.
    case history
    /// An app receipt that the app has given to ``PurchaseService/restore(appReceipt:)``.
    case appReceipt = "app-receipt"

    /// Whether a store waits for transactions from this source to be finished.
    var awaitsFinish: Bool {
        switch self {
        case .purchase, .update, .unfinished: true
        case .entitlement, .history, .appReceipt: false
        }
    }
}

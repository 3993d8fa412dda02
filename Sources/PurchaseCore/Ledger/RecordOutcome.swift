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

    /// Whether the entry is not recorded.
    var isConflict: Bool { if case .conflict = self { true } else { false } }
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

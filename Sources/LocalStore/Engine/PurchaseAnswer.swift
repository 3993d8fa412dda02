/// How a local store answers a purchase.
public enum PurchaseAnswer: Sendable, Hashable {
    /// It is paid; this is its transaction.
    case bought(StoredTransaction)
    /// The customer has it already; nothing was paid.
    case owned(StoredTransaction)
    /// The subscription goes on and changes with its next renewal; this is the transaction of the present period.
    case planChanged(StoredTransaction)
    /// Somebody has to approve it.
    case awaitingApproval(PendingPurchase)
    /// The customer has to resolve an issue first.
    case interrupted(PendingPurchase)

    /// The transaction, where there is one.
    public var transaction: StoredTransaction? {
        switch self {
        case .bought(let transaction), .owned(let transaction), .planChanged(let transaction): transaction
        case .awaitingApproval, .interrupted: nil
        }
    }
}

public import ReceiptTypes

/// The result of restoring the purchase history.
///
/// It says what the store remembers, and not what the customer may use: refunded and expired purchases are included.
/// Ask ``EntitlementStore/restore()`` for that.
public struct RestoredHistory: Sendable, Hashable {
    /// The transactions that were not recorded before; each renewal of a subscription is one. See
    /// ``restoredPurchases``.
    public let restored: [Transaction]
    /// The transactions that were recorded before; each renewal of a subscription is one.
    public let known: [Transaction]
    /// A failure for each transaction that is not verified or belongs to another account.
    public let rejected: [VerificationFailure]
    /// The number of transactions that the ledger could not record; the store still has them.
    public let notRecorded: Int

    /// Creates a result; without arguments, that of a store that remembers no purchase.
    public init(
        restored: [Transaction] = [],
        known: [Transaction] = [],
        rejected: [VerificationFailure] = [],
        notRecorded: Int = 0
    ) {
        self.restored = restored
        self.known = known
        self.rejected = rejected
        self.notRecorded = notRecorded
    }

    /// The purchases with a transaction in ``restored``, each once: of a subscription, the latest of its periods.
    public var restoredPurchases: [Transaction] {
        var latest: [ExactString: Transaction] = [:]
        for transaction in restored.latestVersions() {
            let id = ExactString(transaction.originalID)
            if let other = latest[id], other.purchaseDate > transaction.purchaseDate { continue }
            latest[id] = transaction
        }
        return latest.values.sorted {
            $0.purchaseDate != $1.purchaseDate ? $0.purchaseDate > $1.purchaseDate : $0.id.precedes($1.id)
        }
    }

    /// Whether each transaction is recorded, or rejected for good.
    package var isComplete: Bool { notRecorded == 0 && !rejected.contains(where: \.mayCountLater) }

    /// Whether the store remembers no purchase, which is not an error.
    public var isEmpty: Bool { restored.isEmpty && known.isEmpty && rejected.isEmpty && notRecorded == 0 }
}

extension RestoredHistory {
    /// Creates the result of ingesting a history.
    init(_ outcomes: [Intake.Outcome]) {
        var restored: [Transaction] = []
        var known: [Transaction] = []
        var rejected: [VerificationFailure] = []
        var notRecorded = 0
        for outcome in outcomes {
            switch outcome {
            case .recorded(let transaction, isNew: true): restored.append(transaction)
            case .recorded(let transaction, isNew: false): known.append(transaction)
            case .unverified(let failure): rejected.append(failure)
            case .conflict(_, let conflict): rejected.append(conflict.failure)
            case .notRecorded: notRecorded += 1
            }
        }
        self.init(restored: restored, known: known, rejected: rejected, notRecorded: notRecorded)
    }
}

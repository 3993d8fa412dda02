public import ReceiptTypes

extension PurchaseService {
    /// Fetches the store's complete purchase history and ingests it; recorded transactions stay unchanged.
    ///
    /// A recorded purchase that the store neither lists nor has in its history unlocks nothing from then on. An app
    /// with an ``EntitlementStore`` calls ``EntitlementStore/restore()``, which also refreshes it.
    ///
    /// The store may ask for a password, so call it only after a tap on a restore button.
    public func requestAllPurchaseHistory() async throws(StoreError) -> RestoredHistory {
        let user = user
        try await store.synchronize()
        return try await readHistory(restoredBy: user).history
    }

    /// Ingests the history that the device has, after a database was recovered; the customer sees nothing of it.
    ///
    /// In an app with accounts, a purchase that names none and that the ledger no longer knows can be that of another
    /// account. It is not recorded until the customer asks for a restore.
    ///
    /// - Returns: The history, and the user for whom it was recorded.
    package func readHistory() async throws(StoreError) -> (history: RestoredHistory, user: AppUser) {
        try await readHistory(restoredBy: nil)
    }

    /// The largest number of times that a restore asks the store for its list.
    private static let restoreAttempts = 3

    /// - Parameter asking: The user that has asked for a restore. What the store answers says nothing about another
    ///   one.
    private func readHistory(
        restoredBy asking: AppUser?
    ) async throws(StoreError) -> (history: RestoredHistory, user: AppUser) {
        while true {
            let (user, changes) = (user, userChanges)
            let isRestore = user == asking
            let history = try await ingestedHistory(by: isRestore || user == .noAccounts ? user : .signedOut)
            do throws(LedgerError) {
                // A refresh that overtakes a restore need not read the history, so the restore asks again.
                for _ in 0..<Self.restoreAttempts {
                    guard try await askStore(restoredBy: isRestore ? user : nil).isOvertaken else { break }
                }
            } catch {
                logEvent(.ledgerFailed, error: error)
            }
            // The user may have changed while the store answered; the next user sees nothing of the former one.
            if changes == userChanges { return (history, user) }
        }
    }

    private func ingestedHistory(by buyer: AppUser) async throws(StoreError) -> RestoredHistory {
        var restored: [Transaction] = []
        var known: [Transaction] = []
        var rejected: [VerificationFailure] = []
        var notRecorded = 0
        let question = lastQuestion
        for outcome in await ingestAll(try await store.history(), from: .history, by: buyer, in: question) {
            await waitForHandOver(of: outcome)
            switch outcome {
            case .recorded(let transaction, isNew: true): restored.append(transaction)
            case .recorded(let transaction, isNew: false): known.append(transaction)
            case .unverified(let failure): rejected.append(failure)
            case .conflict(_, let conflict): rejected.append(conflict.failure)
            case .notRecorded: notRecorded += 1
            case .left: break
            }
        }
        return RestoredHistory(restored: restored, known: known, rejected: rejected, notRecorded: notRecorded)
    }
}

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

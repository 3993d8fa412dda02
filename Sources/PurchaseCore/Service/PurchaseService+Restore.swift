internal import ReceiptTypes

extension PurchaseService {
    /// Asks the store for everything that was ever bought and takes it in; what is known stays as it is.
    ///
    /// The store may ask for a password: call it after a tap on a restore button and not otherwise.
    public func requestAllPurchaseHistory() async throws(StoreError) -> RestoredHistory {
        try await store.synchronize()
        var restored: [Transaction] = []
        var known: [Transaction] = []
        var refused: [VerificationFailure] = []
        var notRecorded = 0
        for transaction in try await store.history() {
            switch await ingest(transaction, from: .history) {
            case .recorded(let transaction, isNew: true): restored.append(transaction)
            case .recorded(let transaction, isNew: false): known.append(transaction)
            case .refused(let failure): refused.append(failure)
            case .conflict(_, let conflict): refused.append(conflict.failure)
            case .notRecorded: notRecorded += 1
            }
        }
        return RestoredHistory(restored: restored, known: known, refused: refused, notRecorded: notRecorded)
    }
}

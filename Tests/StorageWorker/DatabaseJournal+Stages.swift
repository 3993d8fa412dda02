import PurchaseCore
import PurchaseStorage
import ReceiptTypes

extension DatabaseJournal {
    /// Takes a purchase through every stage, as the purchase service does.
    ///
    /// - Parameter handOver: Gives the customer what was bought; not called if it is handed over already.
    func takeThrough(_ transaction: Transaction, _ jws: String, handOver: () async throws -> Void) async throws {
        let now = transaction.signedDate
        let delivery = SignedTransaction(jws: jws, transactionID: transaction.id, productID: transaction.productID)
        _ = try await observe(delivery, from: .purchase, at: now)
        _ = try await markVerified(transaction, signedText: jws)
        _ = try await record(transaction, signedText: jws, for: nil)
        guard let claim = try await claimFulfilment(of: transaction.purchaseKey, from: now, until: now) else { return }
        try await handOver()
        try await markGranted(signedText: jws, .granted(productID: "coins", quantity: 1), under: claim)
        try await markFinished(signedText: jws)
    }
}

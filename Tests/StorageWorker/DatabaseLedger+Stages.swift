import PurchaseCore
import PurchaseStorage
import ReceiptTypes

extension DatabaseLedger {
    /// Takes a purchase through every stage, as the purchase service does.
    ///
    /// The claim ends at the instant it was made, so that the process that follows a killed one need not wait.
    ///
    /// - Parameter handOver: Gives the customer what was bought; called again if a killed process has called it.
    func takeThrough(_ transaction: Transaction, _ jws: String, handOver: () async throws -> Void) async throws {
        let delivery = SignedTransaction(jws: jws, transactionID: transaction.id, productID: transaction.productID)
        _ = try await observe(delivery, from: .purchase, at: transaction.signedDate)
        _ = try await markVerified(transaction, signedText: jws)
        _ = try await record(transaction, signedText: jws, for: nil)
        let now = PurchaseEnvironment.deviceTime()
        guard let claim = try await claimFulfilment(of: transaction.purchaseKey, from: now, until: now) else {
            throw ClaimedPurchase(number: transaction.id)
        }
        try await handOver()
        try await markGranted(signedText: jws, .granted(productID: "coins", quantity: 1), under: claim)
        try await markFinished(signedText: jws)
    }
}

/// The error for a purchase that another process hands over.
struct ClaimedPurchase: Error {
    let number: String
}

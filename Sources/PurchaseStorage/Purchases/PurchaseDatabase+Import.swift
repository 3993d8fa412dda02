package import PurchaseCore
package import ReceiptTypes

extension PurchaseDatabase {
    /// Imports a verified delivery: into the ledger and, if it was recorded, with its features into the purchases of
    /// its account.
    package nonisolated func importPurchase(
        _ transaction: Transaction, _ delivery: ImportedDelivery, features: Set<String>, at now: Timestamp
    ) async throws(DatabaseError) -> ImportOutcome {
        try await importing { (database) throws(DatabaseError) in
            let outcome = try database.importEntry(transaction, delivery)
            guard delivery.stage >= .recorded else { return outcome }
            // The ledger alone has app receipts: each can have any number of purchases.
            if case .appReceipt = delivery.content { return outcome }
            let scope = try database.scope(of: delivery.account ?? transaction.appAccountToken?.lowercased)
            // The features of the app's own catalog stay.
            let known = try database.purchaseRow(Purchase.ID(transaction), of: scope)?.recorded.purchase
            let purchase = VerifiedPurchase(
                transaction, delivery.content, features: known?.listedFeatures ?? features)
            switch try database.recordPurchase(purchase, for: scope, at: now) {
            case .conflict(let conflict): throw database.conflict(conflict)
            case .unchanged: return outcome
            case .inserted, .merged: return .imported
            }
        }
    }
}

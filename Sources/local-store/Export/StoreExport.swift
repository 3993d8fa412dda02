internal import LocalStore
internal import ReceiptTypes

/// Signs everything that a store knows, kind by kind.
struct StoreExport {
    let store: StoreSimulator
    let kinds: Set<ReceiptKind>
    /// Nil for all customers.
    let customer: String?

    /// Hands on one text after the other, so that there is never more than one in memory.
    func forEach(_ body: (ExportedReceipt) throws -> Void) throws {
        let state = store.state
        if kinds.contains(.appTransaction) {
            for account in state.accounts where isMeant(account.name) {
                try body(
                    ExportedReceipt(
                        kind: .appTransaction, account: account.name, id: account.appTransactionID,
                        content: .jws(try store.signedAppTransaction(for: account.name))
                    ))
            }
        }
        for transaction in state.transactions where isMeant(transaction.account) {
            if kinds.contains(.transaction) {
                try body(
                    receipt(
                        .transaction, transaction, transaction.id, .jws(try store.signedTransaction(transaction.id)))
                )
            }
            // Google Play has no families here, and hands out nothing any more for what was taken back.
            if kinds.contains(.playPurchase), !transaction.isFamilyShared, !transaction.isRevoked {
                let purchase = try store.playPurchase(transaction.id)
                let content = ExportedReceipt.Content.play(data: purchase.data, signature: purchase.signature)
                try body(receipt(.playPurchase, transaction, transaction.id, content))
            }
        }
        if kinds.contains(.renewalInfo) {
            for subscription in state.subscriptions where isMeant(subscription.account) {
                try body(
                    ExportedReceipt(
                        kind: .renewalInfo, account: subscription.account,
                        transactionID: subscription.latestTransactionID,
                        productID: subscription.productID, id: subscription.id,
                        content: .jws(try store.signedRenewalInfo(subscription.id))
                    ))
            }
        }
        if kinds.contains(.notification) {
            for notification in state.notifications where isMeant(notification.account) {
                let text = try store.signedNotification(notification)
                try body(receipt(.notification, notification.transaction, notification.id, .jws(text)))
            }
        }
    }

    private func receipt(
        _ kind: ReceiptKind,
        _ transaction: StoredTransaction,
        _ id: String,
        _ content: ExportedReceipt.Content
    ) -> ExportedReceipt {
        ExportedReceipt(
            kind: kind, account: transaction.account, transactionID: transaction.id, productID: transaction.productID,
            id: id, content: content
        )
    }

    private func isMeant(_ account: String) -> Bool { customer.map { $0.isIdentical(to: account) } ?? true }
}

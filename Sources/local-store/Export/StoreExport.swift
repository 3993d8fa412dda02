internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// Signs the receipts of a store, kind by kind.
struct StoreExport {
    let store: StoreSimulator
    let kinds: Set<ReceiptKind>
    /// The customer to export; nil for all customers.
    let customer: String?

    /// Calls `body` with one receipt after the other, so that only one is in memory at a time.
    func forEach(_ body: (ExportedReceipt) throws -> Void) throws {
        let state = store.state
        if kinds.contains(.appTransaction) {
            for account in state.accounts where isSelected(account.name) {
                try body(
                    ExportedReceipt(
                        kind: .appTransaction, account: account.name, id: account.appTransactionID,
                        content: .jws(try store.signedAppTransaction(for: account.name))
                    ))
            }
        }
        if kinds.contains(.appReceipt) {
            for account in state.accounts where isSelected(account.name) {
                try body(
                    ExportedReceipt(
                        kind: .appReceipt, account: account.name, id: account.appTransactionID,
                        content: .appReceipt(try store.appReceipt(for: account.name))
                    ))
            }
        }
        for transaction in state.transactions where isSelected(transaction.account) {
            if kinds.contains(.transaction) {
                try body(
                    receipt(
                        .transaction, transaction, transaction.id, .jws(try store.signedTransaction(transaction.id)))
                )
            }
            // Google Play purchases have no family sharing here, and a revoked purchase is no longer returned.
            if kinds.contains(.playPurchase), !transaction.isFamilyShared, !transaction.isRevoked {
                let purchase = try store.playPurchase(transaction.id)
                let content = ExportedReceipt.Content.play(data: purchase.data, signature: purchase.signature)
                try body(receipt(.playPurchase, transaction, transaction.id, content))
            }
        }
        if kinds.contains(.renewalInfo) {
            for subscription in state.subscriptions where isSelected(subscription.account) {
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
            for notification in state.notifications where isSelected(notification.account) {
                let jws = try store.signedNotification(notification)
                try body(receipt(.notification, notification.transaction, notification.id, .jws(jws)))
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

    private func isSelected(_ account: String) -> Bool { customer.map { $0.isIdentical(to: account) } ?? true }
}

/// One signed receipt of a store, with the customer and the purchase that it belongs to.
struct ExportedReceipt {
    enum Content {
        case jws(String)
        case appReceipt(String)
        case play(data: String, signature: String)
    }

    let kind: ReceiptKind
    let account: String
    var transactionID: String?
    var productID: String?
    /// The id that distinguishes the receipt from others of its kind; part of the file name.
    let id: String
    let content: Content

    /// The receipt as a line of JSON, with the facts about it.
    var object: JSONObject {
        var object: JSONObject = [
            "kind": .string(kind.rawValue), "account": .string(account),
            "transactionId": .optionalString(transactionID), "productId": .optionalString(productID),
        ]
        switch content {
        case .jws(let text), .appReceipt(let text): object["receipt"] = .string(text)
        case .play(let data, let signature):
            object["data"] = .string(data)
            object["signature"] = .string(signature)
        }
        return object
    }

    /// The name and content of a file with only the receipt.
    var file: (name: String, text: String) {
        switch content {
        case .jws(let jws): ("\(kind.rawValue)-\(id).jws", jws + "\n")
        case .appReceipt(let text): ("\(kind.rawValue)-\(id).b64", text + "\n")
        case .play(let data, let signature):
            (
                "\(kind.rawValue)-\(id).json",
                (["data": .string(data), "signature": .string(signature)] as JSONObject).description + "\n"
            )
        }
    }
}

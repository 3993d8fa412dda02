internal import PurchaseCore
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

extension SimulatorEngine {
    /// Returns the app receipt of a customer, as the App Store would create it now.
    func appReceipt(of account: StoreAccount) throws(StoreSimulatorError) -> AppReceipt {
        let isSandbox = state.app.environment == .sandbox
        var receipt = AppReceipt()
        receipt.receiptType = AppReceiptType(state.app.environment)
        // The sandbox writes 0 in place of the App Store ID, and always the same first version.
        receipt.appAppleId = isSandbox ? 0 : state.app.appAppleID
        receipt.bundleId = state.app.bundleID
        receipt.applicationVersion = state.app.version
        receipt.receiptCreationDate = state.now
        receipt.originalPurchaseDate = account.originalPurchaseDate
        receipt.originalApplicationVersion = isSandbox ? "1.0" : account.originalVersion
        receipt.inApp = state.transactions.filter { isInAppReceipt($0, of: account) }.map(appReceiptPurchase)
        // The values without a published meaning are the same in each receipt of a customer.
        var generator = SplitMix64(seed: UInt64(clamping: account.appTransactionNumber))
        do {
            try receipt.complete(using: &generator)
            try receipt.bind()
        } catch {
            throw StoreSimulatorError(.notSigned, error.message, underlying: error)
        }
        return receipt
    }

    /// A consumable stays in the receipt until the app finishes its transaction.
    private func isInAppReceipt(_ transaction: StoredTransaction, of account: StoreAccount) -> Bool {
        transaction.account.isIdentical(to: account.name) && !transaction.isFamilyShared
            && (transaction.type != .consumable || !transaction.isFinished)
    }

    private func appReceiptPurchase(of transaction: StoredTransaction) -> AppReceiptPurchase {
        var purchase = AppReceiptPurchase()
        purchase.quantity = Int64(transaction.quantity)
        purchase.productId = transaction.productID
        purchase.productType = AppReceiptProductType(transaction.type)
        purchase.transactionId = transaction.id
        purchase.originalTransactionId = transaction.originalID
        purchase.purchaseDate = transaction.purchaseDate
        purchase.originalPurchaseDate = transaction.originalPurchaseDate
        purchase.expiresDate = transaction.expiresDate
        purchase.webOrderLineItemId = transaction.webOrderLineItemNumber ?? 0
        if let revocation = transaction.revocation {
            purchase.cancellationDate = revocation.date
            purchase.cancellationReason = revocation.reason.map { Int64($0.rawValue) }
        }
        let isIntroductory = transaction.offer?.type == .introductory
        let isFree = transaction.offer?.paymentMode == .freeTrial
        purchase.isTrialPeriod = isIntroductory && isFree ? 1 : 0
        purchase.isInIntroOfferPeriod = isIntroductory && !isFree ? 1 : 0
        if transaction.offer?.type == .promotional { purchase.promotionalOfferId = transaction.offer?.id }
        return purchase
    }
}

public import ReceiptTypes

/// The facts that an application records of a purchase whose receipt is verified.
public struct VerifiedReceiptSignature: Sendable, Hashable {
    /// Always true: a receipt that is not verified has a ``ReceiptSignatureError`` instead.
    public let isValid: Bool
    /// The transaction ID; for Google Play the order ID, or the purchase token if there is none.
    public let transactionID: String
    /// The product ID.
    public let productID: String
    /// The time of the purchase.
    public let purchaseDate: Timestamp
}

extension VerifiedReceiptSignature {
    /// Reads the facts from a verified receipt; nil if it is not a purchase or lacks one of them.
    init?(_ report: ReceiptReport) {
        guard let payload = report.payload else { return nil }
        switch report.kind {
        case .transaction:
            let transaction = JWSTransactionDecodedPayload(members: payload)
            guard let id = transaction.transactionId, let product = transaction.productId,
                let date = transaction.purchaseDate
            else { return nil }
            self.init(isValid: true, transactionID: id, productID: product, purchaseDate: date)
        case .playPurchase:
            let purchase = PlayPurchase(members: payload)
            guard let id = purchase.orderId ?? purchase.purchaseToken,
                let product = purchase.productId ?? purchase.productIds?.first, let date = purchase.purchaseTime
            else { return nil }
            self.init(isValid: true, transactionID: id, productID: product, purchaseDate: date)
        default: return nil
        }
    }
}

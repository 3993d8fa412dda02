public import ReceiptTypes

/// The platform that a receipt comes from.
public enum ReceiptPlatform: String, Sendable, Hashable, CaseIterable {
    /// The App Store: a JWS.
    case ios
    /// Google Play: purchase data and its signature.
    case android
}

/// What an application needs to know of a receipt whose signature is valid.
public struct VerifiedReceiptSignature: Sendable, Hashable {
    /// True: a receipt that is not valid is answered with an error.
    public let isValid: Bool
    /// The id of the transaction, or the order id or purchase token on Google Play.
    public let transactionID: String
    /// The id of the product.
    public let productID: String
    /// When it was bought.
    public let purchaseDate: Timestamp
}

/// Why a receipt's signature is not taken as valid, in one of four codes.
public struct ReceiptSignatureError: Error, Sendable, Hashable {
    /// The code that an application branches on.
    public let code: VerificationErrorCode
    /// What to log: the stable reason and its explanation, without the receipt.
    public let message: String
    /// The reason in full.
    public let failure: VerificationFailure

    init(_ failure: VerificationFailure) {
        code = failure.errorCode
        message = failure.description
        self.failure = failure
    }
}

extension ReceiptVerifier {
    /// Verifies one purchase and gives what an application records of it.
    ///
    /// - Parameter receiptData: For iOS a signed transaction, or JSON with one; for Android JSON with the purchase data
    ///   and its signature.
    public func verifyReceiptSignature(
        _ receiptData: String,
        platform: ReceiptPlatform
    ) -> Result<VerifiedReceiptSignature, ReceiptSignatureError> {
        let inputs = ReceiptInput.detect([UInt8](receiptData.utf8))
        guard inputs.count == 1, let input = inputs.first, platform.sends(input) else {
            return .failure(
                ReceiptSignatureError(
                    VerificationFailure(
                        code: .formatUnrecognized, expected: "one receipt of \(platform.rawValue)",
                        actual: inputs.count == 1 ? "something else" : "\(inputs.count) receipts"
                    )
                )
            )
        }
        let report = verify(input)
        if let failure = report.failure { return .failure(ReceiptSignatureError(failure)) }
        guard let purchase = VerifiedReceiptSignature(report) else {
            return .failure(
                ReceiptSignatureError(
                    VerificationFailure(
                        code: .kindMismatch, expected: "a purchase with its id, product and date",
                        actual: report.kind.map { "this is \($0.title)" }
                    )
                )
            )
        }
        return .success(purchase)
    }
}

extension ReceiptPlatform {
    func sends(_ input: ReceiptInput) -> Bool {
        switch (self, input) {
        case (.ios, .jws), (.ios, .legacyReceipt), (.android, .play), (_, .unrecognized): true
        default: false
        }
    }
}

extension VerifiedReceiptSignature {
    /// Nil when the receipt is no purchase, or lacks what a purchase has.
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

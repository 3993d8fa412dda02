internal import ReceiptTypes

extension ReceiptVerifier {
    /// Verifies one purchase of a platform and returns the facts that an application records.
    ///
    /// For iOS, pass a signed transaction or JSON that contains one; for Android, pass JSON with the purchase data and
    /// its signature.
    public func verifyReceiptSignature(
        _ receiptData: String,
        platform: ReceiptPlatform
    ) -> Result<VerifiedReceiptSignature, ReceiptSignatureError> {
        let inputs = ReceiptInput.detect([UInt8](receiptData.utf8))
        guard inputs.count == 1, let input = inputs.first, platform.issues(input) else {
            return .failure(
                ReceiptSignatureError(
                    VerificationFailure(
                        code: .formatUnrecognized, expected: "one receipt of \(platform.rawValue)",
                        actual: inputs.count == 1 ? "a receipt of another platform" : "\(inputs.count) receipts"
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
                        actual: report.kind?.title
                    )
                )
            )
        }
        return .success(purchase)
    }
}

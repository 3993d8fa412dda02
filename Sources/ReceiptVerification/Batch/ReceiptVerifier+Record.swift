internal import ReceiptTypes

extension ReceiptVerifier {
    /// Verifies bytes that must be one receipt, with the limits of a record in a batch.
    ///
    /// Bytes without a receipt are unverified (`not-a-receipt`), and bytes with several have the code
    /// `too-many-receipts`: none of them may pass for another.
    package func verifyRecord(_ bytes: [UInt8]) -> ReceiptReport {
        let limit = recordLimit
        let appReceiptLimit = BatchMemory.appReceiptLimit(limit)
        guard bytes.count <= limit || bytes.count <= appReceiptLimit && Self.canBeAppReceipt(bytes, limit)
        else {
            return Self.refused(
                VerificationFailure(
                    code: .tooLarge, expected: "at most \(limit) bytes, or \(appReceiptLimit) with an app receipt",
                    actual: "\(bytes.count) bytes"))
        }
        guard !InputDetector.trimmed(bytes).isEmpty else {
            return Self.refused(VerificationFailure(code: .empty, expected: "a receipt", actual: "an empty record"))
        }
        var detector = InputDetector(
            maximumValues: BatchMemory.maximumValues(forReceipts: 1), trials: SignatureTrials(playKeys))
        let receipts = detector.detectReceipts(in: bytes)
        guard !detector.isOverLimit, receipts?.count ?? 1 <= 1 else {
            return Self.refused(
                VerificationFailure(
                    code: .tooManyReceipts, expected: "one receipt", actual: "more receipts",
                    hint: "pass the receipts one at a time, or as a batch"))
        }
        return verify(receipts?.first ?? .unrecognized(bytes))
    }

    /// Returns whether an app receipt, which can be larger than any other, begins in the first bytes.
    private static func canBeAppReceipt(_ bytes: [UInt8], _ limit: Int) -> Bool {
        bytes.withRawSpan { AppReceiptForm.canBegin(in: $0.extracting(0..<min(limit, $0.byteCount))) }
    }

    private static func refused(_ failure: VerificationFailure) -> ReceiptReport {
        var receipt = CheckedReceipt(isTracing: false)
        receipt.examination.adopt(failure)
        return ReceiptReport(receipt)
    }
}

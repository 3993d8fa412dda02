public import ReceiptTypes

/// A request to the retired `verifyReceipt` endpoint.
public struct VerifyReceiptRequest: Sendable, Hashable {
    /// The app receipt: the container in DER, or its base64 in either alphabet, also with line breaks.
    public var receiptData: [UInt8]
    /// Whether `latest_receipt_info` of the response has only the latest transaction of each subscription.
    public var excludesOldTransactions: Bool

    /// Creates a request.
    public init(receiptData: [UInt8], excludesOldTransactions: Bool = false) {
        self.receiptData = receiptData
        self.excludesOldTransactions = excludesOldTransactions
    }

    /// Reads the body of a request: a JSON object with `receipt-data`, and perhaps `exclude-old-transactions`; nil for
    /// anything else.
    ///
    /// A `password`, the shared secret that the endpoint wanted for subscriptions, is not compared with anything.
    public init?(body: [UInt8]) {
        guard body.first(where: { !$0.isWhiteSpace }) == UInt8(ascii: "{"),
            let object = try? JSONDocument.value(of: body).object, let data = object["receipt-data"]?.text
        else { return nil }
        self.init(
            receiptData: [UInt8](data.utf8),
            excludesOldTransactions: object["exclude-old-transactions"] == .boolean(true))
    }
}

extension ReceiptVerifier {
    /// Verifies an app receipt and returns the response that the retired `verifyReceipt` endpoint gave.
    ///
    /// The endpoint of production accepted only receipts of production, and that of the sandbox only those of the
    /// sandbox: the ``VerificationPolicy/environments`` of the policy stand for the address of the endpoint.
    ///
    /// ```swift
    /// let response = verifier.response(to: VerifyReceiptRequest(receiptData: receipt))
    /// if response.status != .valid { log(response.status, response.failure) }
    /// send(response.description)
    /// ```
    public func response(to request: VerifyReceiptRequest) -> VerifyReceiptResponse {
        response(to: request, report: verify(.appReceipt(request.receiptData)))
    }

    /// Returns the response for a receipt with the report of its verification.
    package func response(to request: VerifyReceiptRequest, report: ReceiptReport) -> VerifyReceiptResponse {
        guard let payload = report.payload else {
            return VerifyReceiptResponse(report.failure ?? VerificationFailure(code: .internalError))
        }
        return VerifyReceiptResponse(
            AppReceipt(members: payload), latestReceipt: Self.base64(of: request.receiptData),
            excludesOldTransactions: request.excludesOldTransactions, requestDate: clock())
    }

    /// Returns the base64 of a receipt without line breaks, in the alphabet of the endpoint.
    private static func base64(of receipt: [UInt8]) -> String {
        let isBinary = receipt.first == 0x30
        return Base64.standard.encode(isBinary ? receipt : InputDetector.looseBase64(receipt) ?? receipt)
    }
}

import ReceiptTypes

// The examples in the documentation of ReceiptTypes.

func readResult(
    _ result: VerificationResult<JWSTransactionDecodedPayload>,
    retryLater: (String) -> Void,
    report: (String, String) -> Void
) {
    func unlock(_ product: String?, until: Timestamp?) {}
    switch result {
    case .verified(let transaction):
        unlock(transaction.productId, until: transaction.expiresDate)
    case .unverified(let failure) where failure.isRetryable:
        retryLater(failure.hint)
    case .unverified(let failure):
        report(failure.code.rawValue, failure.explanation)
    }
}

func readFields(of transaction: JWSTransactionDecodedPayload) -> [String] {
    let expires: Timestamp? = transaction.expiresDate  // milliseconds since 1970
    let price: Milliunits? = transaction.price  // thousandths of the currency unit
    let type: ProductType? = transaction.type  // an open enumeration
    let unknown = transaction.unknownMembers.map(\.name)
    return [expires?.description, price?.description, type?.description].compactMap { $0 } + unknown
}

func readMembers(of transaction: JWSTransactionDecodedPayload) -> (Milliunits?, JSONValue?) {
    let price: Milliunits? = transaction.price
    let raw = transaction.members["price"]
    return (price, raw)
}

extension VerificationFailure.Code {
    static let voucherExpired = Self(
        "voucher-expired", step: .claims, errorCode: .unknownError,
        meaning: "The voucher has expired",
        hint: "ask the customer for another voucher"
    )
    static let voucherCodes: [Self] = [.voucherExpired]
}

func readCode(_ storedName: String) -> String {
    let code = VerificationFailure.Code(rawValue: storedName, among: VerificationFailure.Code.voucherCodes)
    return code.meaning
}

func readUnknownType(of notification: ResponseBodyV2DecodedPayload, log: (String) -> Void) {
    if let type = notification.notificationType, !type.isKnown {
        log("unknown notification type \(type.rawValue)")
    }
}

func printPayload(_ transaction: JWSTransactionDecodedPayload) {
    for line in JWSTransactionDecodedPayload.schema.listing(of: transaction.members) {
        print("\(line.name): \(line.text)")
    }
}

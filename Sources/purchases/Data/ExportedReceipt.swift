internal import CommandLineInterface
internal import PurchaseCore
internal import PurchaseStorage
internal import ReceiptTypes
internal import ReceiptVerification

/// A line of `export` with a signed payload: a JWS, a Google Play purchase, or an app receipt.
///
/// The payload is verified again, and what it signs counts: the transaction, the product, the dates, the amount, and
/// the account if the app has named one to the store. The rest is the word of the file, and each member is taken as
/// follows:
///
/// | member | |
/// | --- | --- |
/// | `stage` | As it is, so what was handed over counts as handed over. Without it, a receipt is not recorded. |
/// | `account` | If the payload has none; another one than that of the payload is refused. |
/// | `source` | As it is, or `history`. It says whether the store waits for the transaction to be finished. |
/// | `observedAt` | If it is not before the purchase and not after the import. |
/// | `productType` | For Google Play, which does not sign it. |
/// | `quarantine` | The store's own objection, which leads to a refusal. |
/// | `kind`, `transactionId`, `productId` | For messages. |
struct ExportedReceipt {
    let content: SignedContent
    let isRenewalInfo: Bool
    /// The ids of the line, which are not signed.
    let transactionID, productID: String?
    /// The type of the product, which Google Play does not sign.
    let productType: ProductType?
    private let source: DeliverySource
    /// The stage in the ledger; nil if the ledger did not have the receipt.
    private let stage: DeliveryStage?
    private let observedAt: Timestamp?
    private let account: UUIDText?
    /// Whether the store itself has rejected the receipt, which its signature does not say.
    let hasObjection: Bool

    /// Reads a line; nil if it has no signed payload.
    init?(_ line: [UInt8]) {
        guard let object = (try? JSONDocument.value(of: line))?.object else { return nil }
        self.init(object)
    }

    private init?(_ object: JSONObject) {
        if let receipt = object["receipt"]?.text {
            content = .jws(receipt)
        } else if let data = object["data"]?.text, let signature = object["signature"]?.text {
            content = .play(SignedPlayPurchase(data: data, signature: signature))
        } else if let receipt = object["appReceipt"]?.text {
            content = .appReceipt(SignedAppReceipt(base64: receipt))
        } else {
            return nil
        }
        account = object["account"]?.text.map { UUIDText($0) }
        hasObjection = object["quarantine"]?.text == VerificationFailure.Code.storeObjection.rawValue
        isRenewalInfo = object["kind"]?.text == "renewal-info"
        transactionID = object["transactionId"]?.text
        productID = object["productId"]?.text
        productType = object["productType"]?.text.map(ProductType.init(rawValue:))
        source = object["source"]?.text.flatMap(DeliverySource.init(rawValue:)) ?? .history
        let stage = object["stage"]?.text
        self.stage = DeliveryStage.allCases.first { "\($0)" == stage }
        observedAt = object["observedAt"]?.text.flatMap { Timestamp(rfc3339: $0) }
    }

    /// The delivery of a verified transaction.
    func delivery(of transaction: Transaction, at now: Timestamp) -> ImportedDelivery {
        // Only recorded purchases have a type in the file.
        let stage = stage ?? (productType == nil ? .observed : .recorded)
        let observedAt = min(max(observedAt ?? now, transaction.purchaseDate), now)
        return ImportedDelivery(
            content: content, source: source, observedAt: observedAt, stage: stage, account: account)
    }
}

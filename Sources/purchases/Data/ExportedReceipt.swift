internal import CommandLineInterface
internal import PurchaseCore
internal import PurchaseStorage
internal import ReceiptTypes
internal import ReceiptVerification

/// A line of `export`.
struct ExportedReceipt {
    let content: SignedContent
    let isRenewalInfo: Bool
    /// The ids of the line, which are not signed.
    let transactionID, productID: String?
    /// The type of the product, which Google Play does not sign.
    let productType: ProductType?
    let features: Set<String>
    private let source: DeliverySource
    private let stage: JournalStage
    private let observedAt: Timestamp?
    private let account: UUIDText?
    /// Whether the store itself has rejected the receipt, which its signature does not say.
    let hasObjection: Bool
    /// The digest of the account, if the database that was exported did not have its ID.
    let accountDigest: String?

    /// Reads a line; nil if it has no signed payload.
    init?(_ line: [UInt8]) {
        guard let object = (try? JSONDocument.value(of: line))?.object else { return nil }
        if let receipt = object["receipt"]?.text {
            content = .jws(receipt)
        } else if let data = object["data"]?.text, let signature = object["signature"]?.text {
            content = .play(SignedPlayPurchase(data: data, signature: signature))
        } else {
            return nil
        }
        let account = object["account"]?.text
        accountDigest = account.flatMap { $0.hasPrefix("#") ? $0 : nil }
        self.account = accountDigest == nil ? account.map { UUIDText($0) } : nil
        hasObjection = object["quarantine"]?.text == VerificationFailure.Code.storeObjection.rawValue
        isRenewalInfo = object["kind"]?.text == "renewal-info"
        transactionID = object["transactionId"]?.text
        productID = object["productId"]?.text
        productType = object["productType"]?.text.map(ProductType.init(rawValue:))
        features = if case .array(let names)? = object["features"] { Set(names.compactMap(\.text)) } else { [] }
        source = object["source"]?.text.flatMap(DeliverySource.init(rawValue:)) ?? .history
        let stage = object["stage"]?.text
        self.stage = max(.recorded, JournalStage.allCases.first { "\($0)" == stage } ?? .recorded)
        observedAt = object["observedAt"]?.text.flatMap { Timestamp(rfc3339: $0) }
    }

    /// The delivery to import.
    func delivery(at now: Timestamp) -> ImportedDelivery {
        ImportedDelivery(
            content: content, source: source, observedAt: observedAt ?? now, stage: stage, account: account)
    }
}

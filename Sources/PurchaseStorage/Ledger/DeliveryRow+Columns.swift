import PurchaseCore
import ReceiptTypes
import SQLite

extension DeliveryRow {
    static let table = SealedTable(
        "deliveries",
        [
            "text_digest", "store", "transaction_id", "product_id", "objection", "source", "observed_at", "stage",
            "quarantine_reason", "account_digest", "verified_id", "common_digest", "purchase_key", "facts_digest",
            "signed_date",
        ])

    /// The values of the columns, which have the account as a digest.
    func values(_ key: DatabaseKey) throws(DatabaseError) -> [SQLiteValue] {
        var accountDigest = SQLiteValue.null
        if let account { accountDigest = .blob(try key.digest(ofUser: account.lowercased)) }
        return [
            .blob(text.bytes), .text(store.rawValue), .text(transactionID), .text(productID), SQLiteValue(objection),
            .text(source.rawValue), .integer(observedAt.millisecondsSince1970), .integer(Int64(stage.rawValue)),
            SQLiteValue(quarantineReason?.rawValue), accountDigest, SQLiteValue(verified?.versionID),
            verified.map { .blob($0.commonFacts.bytes) } ?? .null, SQLiteValue(verified?.purchase),
            verified.map { .blob($0.facts.bytes) } ?? .null,
            SQLiteValue(verified?.signedDate.millisecondsSince1970),
        ]
    }

    /// The encrypted content of the row: the account.
    var content: [UInt8] { SealedFields(of: Self.contentName, [SQLiteValue(account?.rawValue)]).bytes }

    private static let contentName = "ledger entry"

    private var store: Purchase.Origin { isPlay ? .googlePlay : .appStore }

    /// Reads a row; nil if a value is not one that this version writes.
    init?(_ columns: FieldReader, _ content: RawSpan) {
        guard var details = FieldReader(content, of: Self.contentName) else { return nil }
        var values = columns
        guard let text = values.blob(), let store = values.text().flatMap(Purchase.Origin.init(rawValue:)),
            let transactionID = values.text(), let productID = values.text()
        else { return nil }
        let objection = values.text()
        guard let source = values.text().flatMap(DeliverySource.init(rawValue:)), let observedAt = values.timestamp(),
            let stage = values.integer().flatMap({ Int(exactly: $0) }).flatMap(DeliveryStage.init(rawValue:))
        else { return nil }
        let quarantineReason = values.text().map { VerificationFailure.Code(rawValue: $0) }
        values.skip()
        self.init(
            text: TextDigest(text), isPlay: store == .googlePlay, transactionID: transactionID, productID: productID,
            objection: objection, source: source, observedAt: observedAt, stage: stage,
            quarantineReason: quarantineReason, account: details.text().map { UUIDText($0) },
            verified: Verified(&values))
    }
}

extension DeliveryRow.Verified {
    fileprivate init?(_ values: inout FieldReader) {
        guard let versionID = values.text(), let commonFacts = values.blob(), let purchase = values.text(),
            let facts = values.blob(), let signedDate = values.timestamp()
        else { return nil }
        self.init(
            versionID: versionID, commonFacts: TextDigest(commonFacts), purchase: purchase, facts: TextDigest(facts),
            signedDate: signedDate)
    }
}

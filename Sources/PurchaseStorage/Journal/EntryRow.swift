import PurchaseCore
import ReceiptTypes

/// A row of the table `journal_entries`, without its signed text.
struct EntryRow {
    /// What the database remembers of a verified transaction, to find other versions of it without verifying them
    /// again.
    struct Verified {
        let id: String
        let commonDigest: [UInt8]
        let purchaseKey: String
        let factsDigest: [UInt8]
        var signedDate: Timestamp

        init(_ transaction: Transaction) throws(DatabaseError) {
            id = transaction.versionID
            commonDigest = try SignedText.digest(of: transaction.commonFacts)
            purchaseKey = transaction.purchaseKey.description
            factsDigest = try SignedText.digest(of: transaction.facts)
            signedDate = transaction.signedDate
        }
    }

    var textDigest: [UInt8]
    var store: String
    var transactionID: String
    var productID: String
    var objection: String?
    let source: DeliverySource
    let observedAt: Timestamp
    var stage: JournalStage
    var quarantineReason: String?
    var account: String?
    var verified: Verified?

    /// Creates the row of an entry that was observed.
    init(_ entry: JournalEntry, _ text: SignedText) {
        textDigest = text.digest
        store = Self.store(of: entry.transaction)
        transactionID = entry.transaction.transactionID
        productID = entry.transaction.productID
        objection = entry.transaction.objection
        source = entry.source
        observedAt = entry.observedAt
        stage = entry.stage
        quarantineReason = entry.quarantineReason?.rawValue
        account = entry.account?.rawValue
    }

    /// Replaces the delivery by that of another row, which has the same facts.
    mutating func takeDelivery(of other: EntryRow) {
        textDigest = other.textDigest
        store = other.store
        transactionID = other.transactionID
        productID = other.productID
        objection = other.objection
        verified = other.verified
    }

    /// Returns the entry with its signed content; nil if the content does not fit the store.
    func entry(_ parts: [String]) -> JournalEntry? {
        guard let transaction = transaction(parts) else { return nil }
        return JournalEntry(
            transaction: transaction, source: source, observedAt: observedAt, stage: stage,
            quarantineReason: quarantineReason.map { VerificationFailure.Code(rawValue: $0) },
            account: account.map { UUIDText($0) })
    }

    private func transaction(_ parts: [String]) -> SignedTransaction? {
        switch (store, SignedContent(parts: parts)) {
        case (Self.appStore, .jws(let jws)?):
            SignedTransaction(jws: jws, transactionID: transactionID, productID: productID, objection: objection)
        case (Self.appStore, .appReceipt(let receipt)?):
            SignedTransaction(
                appReceipt: receipt, transactionID: transactionID, bundleID: productID, objection: objection)
        case (Self.googlePlay, .play(let purchase)?):
            SignedTransaction(
                play: purchase, purchaseToken: transactionID, productID: productID, objection: objection)
        default: nil
        }
    }

    private static let appStore = "app-store"
    private static let googlePlay = "google-play"

    private static func store(of transaction: SignedTransaction) -> String {
        switch transaction.content {
        case .jws, .appReceipt: appStore
        case .play: googlePlay
        }
    }
}

// MARK: - Columns

extension EntryRow {
    static let table = SealedTable(
        "journal_entries",
        [
            "text_digest", "store", "transaction_id", "product_id", "objection", "source", "observed_at", "stage",
            "quarantine_reason", "account_digest", "verified_id", "common_digest", "purchase_key", "facts_digest",
            "signed_date",
        ])

    /// The values of the columns, which have the account as a digest.
    func values(_ key: DatabaseKey) throws(DatabaseError) -> [SQLiteValue] {
        var accountDigest = SQLiteValue.null
        if let account { accountDigest = .blob(try key.digest(ofUser: UUIDText(account).lowercased)) }
        return [
            .blob(textDigest), .text(store), .text(transactionID), .text(productID), SQLiteValue(objection),
            .text(source.rawValue), .integer(observedAt.millisecondsSince1970), .integer(Int64(stage.rawValue)),
            SQLiteValue(quarantineReason), accountDigest, SQLiteValue(verified?.id),
            verified.map { .blob($0.commonDigest) } ?? .null, SQLiteValue(verified?.purchaseKey),
            verified.map { .blob($0.factsDigest) } ?? .null,
            SQLiteValue(verified?.signedDate.millisecondsSince1970),
        ]
    }

    /// The encrypted content of the row: the account.
    var content: [UInt8] { SealedFields(of: Self.contentName, [SQLiteValue(account)]).bytes }

    private static let contentName = "journal entry"

    /// Reads a row; nil if a value is not one that this version writes.
    init?(_ columns: FieldReader, _ content: RawSpan) {
        guard var details = FieldReader(content, of: Self.contentName) else { return nil }
        var values = columns
        guard let digest = values.blob(), let store = values.text(), let transactionID = values.text(),
            let productID = values.text()
        else { return nil }
        textDigest = digest
        self.store = store
        self.transactionID = transactionID
        self.productID = productID
        objection = values.text()
        guard let source = values.text().flatMap(DeliverySource.init(rawValue:)), let observedAt = values.timestamp(),
            let stage = values.integer().flatMap({ Int(exactly: $0) }).flatMap(JournalStage.init(rawValue:))
        else { return nil }
        self.source = source
        self.observedAt = observedAt
        self.stage = stage
        quarantineReason = values.text()
        values.skip()
        account = details.text()
        verified = Verified(&values)
    }
}

extension EntryRow.Verified {
    fileprivate init?(_ values: inout FieldReader) {
        guard let id = values.text(), let commonDigest = values.blob(), let purchaseKey = values.text(),
            let factsDigest = values.blob(), let signedDate = values.timestamp()
        else { return nil }
        self.id = id
        self.commonDigest = commonDigest
        self.purchaseKey = purchaseKey
        self.factsDigest = factsDigest
        self.signedDate = signedDate
    }
}

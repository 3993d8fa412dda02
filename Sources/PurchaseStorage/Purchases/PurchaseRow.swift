import PurchaseCore
import ReceiptTypes
import SQLite

/// A row of the table `purchases`, without its signed text.
struct PurchaseRow {
    let id: Int64
    let userDigest: [UInt8]
    var recorded: RecordedPurchase
    var textDigest: [UInt8]
    let createdAt: Timestamp
    var updatedAt: Timestamp

    static let table = SealedTable(
        "purchases",
        ["id", "user_digest"] + Purchase.columns + ["signed_date", "text_digest", "created_at", "updated_at"])

    var values: [SQLiteValue] {
        [.integer(id), .blob(userDigest)] + recorded.purchase.values
            + [
                .integer(recorded.signedDate.millisecondsSince1970), .blob(textDigest),
                .integer(createdAt.millisecondsSince1970), .integer(updatedAt.millisecondsSince1970),
            ]
    }

    /// The encrypted content of the row.
    var content: [UInt8] { SealedFields(of: Self.contentName, recorded.purchase.details).bytes }

    private static let contentName = "purchase details"

    /// Reads a row; nil if a value is not one that this version writes.
    ///
    /// - Parameter user: The user that the row's digest belongs to.
    init?(_ columns: FieldReader, _ content: RawSpan, user: UUIDText?) {
        var values = columns
        guard let id = values.integer(), let userDigest = values.blob(),
            let details = FieldReader(content, of: Self.contentName),
            let purchase = Purchase(&values, details: details, user: user), let signedDate = values.timestamp(),
            let textDigest = values.blob(), let createdAt = values.timestamp(), let updatedAt = values.timestamp()
        else { return nil }
        self.init(
            id: id, userDigest: userDigest, RecordedPurchase(purchase, signedDate: signedDate),
            textDigest: textDigest, createdAt: createdAt, updatedAt: updatedAt)
    }

    /// Reads only the purchase of a row; nil if a value is not one that this version writes.
    static func purchase(_ columns: FieldReader, _ content: RawSpan, user: UUIDText?) -> Purchase? {
        guard let details = FieldReader(content, of: contentName) else { return nil }
        var columns = columns
        columns.skip(2)
        return Purchase(&columns, details: details, user: user)
    }

    init(
        id: Int64, userDigest: [UInt8], _ recorded: RecordedPurchase, textDigest: [UInt8], createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.userDigest = userDigest
        self.recorded = recorded
        self.textDigest = textDigest
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

// MARK: - The columns of a purchase

extension Purchase {
    static let columns = [
        "transaction_id", "store", "environment", "product_id", "product_type", "purchased_at", "quantity",
        "remaining_quantity",
        "ownership",
        "price", "currency_code", "is_revoked", "revoked_at", "is_verified", "is_synced", "synced_at",
    ]

    /// The values of ``columns``.
    var values: [SQLiteValue] {
        [
            .text(id.transactionID), .text(id.origin.rawValue), .text(id.environment?.rawValue ?? ""),
            .text(productID), .text(type.rawValue), .integer(purchasedAt.millisecondsSince1970),
            .integer(Int64(quantity)), .integer(Int64(remainingQuantity)), .text(ownership.rawValue),
            SQLiteValue(price?.rawValue), SQLiteValue(currency),
            .integer(isRevoked ? 1 : 0), SQLiteValue(revocationDate?.millisecondsSince1970),
            .integer(isVerified ? 1 : 0), .integer(isSynced ? 1 : 0), SQLiteValue(syncedAt?.millisecondsSince1970),
        ]
    }

    /// What the columns do not have: the key or the reason of the verification, and the features in the order of their
    /// bytes.
    var details: [SQLiteValue] {
        let reference: String? =
            switch verification {
            case .verified(let key): key
            case .unverified(let code): code?.rawValue
            }
        return [SQLiteValue(reference)]
            + listedFeatures.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map(SQLiteValue.text)
    }

    /// Reads the values of ``columns``; nil if a value is not one that this version writes.
    init?(_ values: inout FieldReader, details: FieldReader, user: UUIDText?) {
        guard let transactionID = values.text(), let origin = values.text().flatMap(Origin.init(rawValue:)),
            let environment = values.text(), let productID = values.text(), let type = values.text(),
            let purchasedAt = values.timestamp(), let quantity = values.int(),
            let remainingQuantity = values.int(), let ownership = values.text()
        else { return nil }
        let price = values.integer().map { Milliunits($0) }
        let currency = values.text()
        let isRevoked = values.integer() == 1
        let revocationDate = values.timestamp()
        let isVerified = values.integer() == 1
        let isSynced = values.integer() == 1
        let syncedAt = values.timestamp()
        guard isSynced == (syncedAt != nil), !details.isEmpty else { return nil }
        var rest = details
        let reference = rest.text()
        var features: Set<String> = []
        while !rest.isEmpty {
            guard let feature = rest.text() else { return nil }
            features.insert(feature)
        }
        self.init(
            id: ID(
                transactionID: transactionID, origin: origin, environment: StoreEnvironment(rawValue: environment)),
            user: user, productID: productID, type: ProductType(rawValue: type), purchasedAt: purchasedAt,
            quantity: quantity, remainingQuantity: remainingQuantity,
            ownership: InAppOwnershipType(rawValue: ownership), price: price, currency: currency,
            isRevoked: isRevoked, revocationDate: revocationDate,
            verification: isVerified
                ? .verified(key: reference)
                : .unverified(reference.map { VerificationFailure.Code(rawValue: $0) }),
            synchronization: syncedAt.map { .synced(at: $0) } ?? .unsynced, listedFeatures: features)
    }
}

extension PurchaseEvent {
    static let table = SealedTable(
        "purchase_events", ["id", "user_digest", "purchase_id", "kind", "occurred_at"])
    private static let contentName = "purchase event"

    /// The encrypted content of an event: the purchase after the change, if it was not deleted.
    static func content(_ purchase: Purchase?) -> [UInt8] {
        SealedFields(of: contentName, purchase.map { $0.values + $0.details } ?? []).bytes
    }

    /// Reads a row; nil if a value is not one that this version writes.
    init?(_ columns: FieldReader, _ content: RawSpan, user: UUIDText?) {
        var values = columns
        guard let id = values.integer(), values.blob() != nil, values.integer() != nil, let kind = values.text(),
            let occurredAt = values.timestamp(), var fields = FieldReader(content, of: Self.contentName)
        else { return nil }
        var purchase: Purchase?
        if !fields.isEmpty {
            var details = fields
            details.skip(Purchase.columns.count)
            purchase = Purchase(&fields, details: details, user: user)
            if purchase == nil { return nil }
        }
        self.init(id: id, kind: Kind(rawValue: kind), occurredAt: occurredAt, purchase: purchase)
    }
}

import PurchaseCore
import ReceiptTypes
import SQLite

extension PurchaseRow {
    static let table = SealedTable(
        "purchases",
        ["id", "user_digest"] + Purchase.columns + ["signed_date", "text_digest", "created_at", "updated_at"])

    /// The values of the columns, which have the user as a digest.
    func values(id: Int64, _ key: DatabaseKey) throws(DatabaseError) -> [SQLiteValue] {
        [.integer(id), .blob(try key.digest(ofUser: purchase.user))] + purchase.values
            + [
                .integer(signedDate.millisecondsSince1970), .blob(text.bytes),
                .integer(recordedAt.millisecondsSince1970), .integer(changedAt.millisecondsSince1970),
            ]
    }

    /// The encrypted content of the row.
    var content: [UInt8] { SealedFields(of: Self.contentName, purchase.details).bytes }

    private static let contentName = "purchase details"

    /// Reads a row; nil if a value is not one that this version writes.
    init?(_ columns: FieldReader, _ content: RawSpan) {
        var values = columns
        values.skip(2)
        guard let details = FieldReader(content, of: Self.contentName),
            let purchase = Purchase(&values, details: details), let signedDate = values.timestamp(),
            let text = values.blob(), let recordedAt = values.timestamp(), let changedAt = values.timestamp()
        else { return nil }
        self.init(
            purchase: purchase, text: TextDigest(text), signedDate: signedDate, recordedAt: recordedAt,
            changedAt: changedAt)
    }
}

extension Purchase {
    static let columns = [
        "transaction_id", "store", "environment", "product_id", "product_type", "purchased_at", "quantity",
        "remaining_quantity", "ownership", "price", "currency_code", "is_revoked", "revoked_at", "is_verified",
        "is_synced", "synced_at",
    ]

    /// The values of ``columns``.
    var values: [SQLiteValue] {
        id.values + [
            .text(productID), .text(type.rawValue), .integer(purchasedAt.millisecondsSince1970),
            .integer(Int64(quantity)), .integer(Int64(remainingQuantity)), .text(ownership.rawValue),
            SQLiteValue(price?.rawValue), SQLiteValue(currency),
            .integer(isRevoked ? 1 : 0), SQLiteValue(revocationDate?.millisecondsSince1970),
            .integer(isVerified ? 1 : 0), .integer(isSynced ? 1 : 0), SQLiteValue(syncedAt?.millisecondsSince1970),
        ]
    }

    /// What the columns do not have: the user, the key or the reason of the verification, the refunded share of the
    /// price, and the ids of further products.
    fileprivate var details: [SQLiteValue] {
        let reference: String? =
            switch verification {
            case .verified(let key): key
            case .unverified(let code): code?.rawValue
            }
        return [SQLiteValue(user?.rawValue), SQLiteValue(reference), SQLiteValue(refundedShare.map(Int64.init))]
            + otherProductIDs.map(SQLiteValue.text)
    }

    /// Reads the values of ``columns``; nil if a value is not one that this version writes.
    fileprivate init?(_ values: inout FieldReader, details: FieldReader) {
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
        let user = rest.text().map { UUIDText($0) }
        let reference = rest.text()
        let refundedShare = rest.integer().map { Int32(clamping: $0) }
        var otherProductIDs: [String] = []
        while !rest.isEmpty {
            guard let other = rest.text() else { return nil }
            otherProductIDs.append(other)
        }
        self.init(
            id: ID(
                transactionID: transactionID, origin: origin, environment: StoreEnvironment(rawValue: environment)),
            user: user, productID: productID, otherProductIDs: otherProductIDs, type: ProductType(rawValue: type),
            purchasedAt: purchasedAt, quantity: quantity, remainingQuantity: remainingQuantity,
            refundedShare: refundedShare, ownership: InAppOwnershipType(rawValue: ownership), price: price,
            currency: currency, isRevoked: isRevoked, revocationDate: revocationDate,
            verification: isVerified
                ? .verified(key: reference)
                : .unverified(reference.map { VerificationFailure.Code(rawValue: $0) }),
            synchronization: syncedAt.map { .synced(at: $0) } ?? .unsynced)
    }
}

extension Purchase.ID {
    /// The values of the columns `transaction_id`, `store` and `environment`.
    var values: [SQLiteValue] {
        [.text(transactionID), .text(origin.rawValue), .text(environment?.rawValue ?? "")]
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
    init?(_ columns: FieldReader, _ content: RawSpan) {
        var values = columns
        guard let id = values.integer(), values.blob() != nil, values.integer() != nil, let kind = values.text(),
            let occurredAt = values.timestamp(), var fields = FieldReader(content, of: Self.contentName)
        else { return nil }
        var purchase: Purchase?
        if !fields.isEmpty {
            var details = fields
            details.skip(Purchase.columns.count)
            purchase = Purchase(&fields, details: details)
            if purchase == nil { return nil }
        }
        self.init(id: id, kind: Kind(rawValue: kind), occurredAt: occurredAt, purchase: purchase)
    }
}

/// A numbered attribute of an app receipt or of an in-app purchase in it: its field and the encoding of its value.
///
/// Genuine receipts have more attributes; they are kept as ``UnknownReceiptAttribute``.
package struct AppReceiptAttribute: Sendable, Hashable {
    /// The ASN.1 encoding of a value inside the OCTET STRING of its attribute (X.690).
    package enum Encoding: Sendable, Hashable {
        /// An INTEGER of at most 8 bytes.
        case integer
        /// A UTF8String.
        case text
        /// An IA5String.
        case asciiText
        /// An IA5String with a date in RFC 3339.
        case date
        /// Bytes without an encoding of their own.
        case bytes
        /// A SET of the attributes of one in-app purchase.
        case purchase
    }

    /// The number of the attribute.
    package let type: Int64
    /// The JSON name of the field.
    package let name: String
    /// The encoding of the value.
    package let encoding: Encoding

    private init(_ type: Int64, _ name: String, _ encoding: Encoding) {
        self.type = type
        self.name = name
        self.encoding = encoding
    }

    // MARK: Attributes of a receipt

    package static let receiptType = Self(0, "receiptType", .text)
    package static let appAppleID = Self(1, "appAppleId", .integer)
    package static let bundleID = Self(2, "bundleId", .text)
    package static let applicationVersion = Self(3, "applicationVersion", .text)
    package static let opaqueValue = Self(4, "opaqueValue", .bytes)
    package static let deviceHash = Self(5, "deviceHash", .bytes)
    package static let ageRating = Self(10, "ageRating", .asciiText)
    package static let receiptCreationDate = Self(12, "receiptCreationDate", .date)
    package static let operatingSystemVersion = Self(13, "operatingSystemVersion", .integer)
    package static let downloadID = Self(15, "downloadId", .integer)
    package static let versionExternalIdentifier = Self(16, "versionExternalIdentifier", .integer)
    package static let inApp = Self(17, "inApp", .purchase)
    package static let originalPurchaseDate = Self(18, "originalPurchaseDate", .date)
    package static let originalApplicationVersion = Self(19, "originalApplicationVersion", .text)
    package static let expirationDate = Self(21, "expirationDate", .date)

    /// The attributes of a receipt in the order of their numbers.
    package static let ofReceipts: [Self] = [
        receiptType, appAppleID, bundleID, applicationVersion, opaqueValue, deviceHash, ageRating, receiptCreationDate,
        operatingSystemVersion, downloadID, versionExternalIdentifier, inApp, originalPurchaseDate,
        originalApplicationVersion, expirationDate,
    ]

    // MARK: Attributes of an in-app purchase

    package static let productID = Self(1702, "productId", .text)

    /// The attributes of an in-app purchase in the order of their numbers.
    package static let ofPurchases: [Self] = [
        .init(1701, "quantity", .integer), productID, .init(1703, "transactionId", .text),
        .init(1704, "purchaseDate", .date), .init(1705, "originalTransactionId", .text),
        .init(1706, "originalPurchaseDate", .date), .init(1707, "productType", .integer),
        .init(1708, "expiresDate", .date), .init(1710, "productAppleId", .integer),
        .init(1711, "webOrderLineItemId", .integer), .init(1712, "cancellationDate", .date),
        .init(1713, "isTrialPeriod", .integer), .init(1719, "isInIntroOfferPeriod", .integer),
        .init(1720, "cancellationReason", .integer), .init(1721, "promotionalOfferId", .text),
    ]

    // The attributes at the index of their number, less the first one.
    private static let receiptTable = table(ofReceipts)
    private static let purchaseTable = table(ofPurchases)
    private static let firstOfPurchases: Int64 = 1701

    private static func table(_ attributes: [Self]) -> [Self?] {
        let first = attributes.first?.type ?? 0
        let last = attributes.last?.type ?? 0
        return (first...last).map { type in attributes.first { $0.type == type } }
    }

    /// Returns the attribute of a receipt with a number; nil if its meaning is not published.
    package static func ofReceipt(_ type: Int64) -> Self? {
        receiptTable.indices.contains(Int(clamping: type)) ? receiptTable[Int(clamping: type)] : nil
    }

    /// Returns the attribute of an in-app purchase with a number; nil if its meaning is not published.
    package static func ofPurchase(_ type: Int64) -> Self? {
        let (index, isOverflow) = type.subtractingReportingOverflow(firstOfPurchases)
        guard !isOverflow, purchaseTable.indices.contains(Int(clamping: index)) else { return nil }
        return purchaseTable[Int(clamping: index)]
    }

    /// Returns the attribute of a receipt with the JSON name of its field.
    package static func ofReceipt(named name: String) -> Self? { ofReceipts.first { $0.name.isIdentical(to: name) } }

    /// Returns the attribute of an in-app purchase with the JSON name of its field.
    package static func ofPurchase(named name: String) -> Self? { ofPurchases.first { $0.name.isIdentical(to: name) } }
}

/// A numbered attribute of an app receipt or of an in-app purchase in it: its field and the encoding of its value.
///
/// Genuine receipts have more attributes; they are kept as ``UnknownReceiptAttribute``.
package enum AppReceiptAttribute: Int64, Sendable, CaseIterable {
    case receiptType = 0
    case appAppleID = 1
    case bundleID = 2
    case applicationVersion = 3
    case opaqueValue = 4
    case deviceHash = 5
    case ageRating = 10
    case receiptCreationDate = 12
    case operatingSystemVersion = 13
    case downloadID = 15
    case versionExternalIdentifier = 16
    case inApp = 17
    case originalPurchaseDate = 18
    case originalApplicationVersion = 19
    case expirationDate = 21

    // The attributes of an in-app purchase.
    case quantity = 1701
    case productID = 1702
    case transactionID = 1703
    case purchaseDate = 1704
    case originalTransactionID = 1705
    case firstPurchaseDate = 1706
    case productType = 1707
    case expiresDate = 1708
    case productAppleID = 1710
    case webOrderLineItemID = 1711
    case cancellationDate = 1712
    case isTrialPeriod = 1713
    case isInIntroOfferPeriod = 1719
    case cancellationReason = 1720
    case promotionalOfferID = 1721

    /// The number of the attribute.
    package var type: Int64 { rawValue }

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

    /// The encoding of the value.
    package var encoding: Encoding {
        switch self {
        case .appAppleID, .operatingSystemVersion, .downloadID, .versionExternalIdentifier, .quantity, .productType,
            .productAppleID, .webOrderLineItemID, .isTrialPeriod, .isInIntroOfferPeriod, .cancellationReason:
            .integer
        case .receiptType, .bundleID, .applicationVersion, .originalApplicationVersion, .productID, .transactionID,
            .originalTransactionID, .promotionalOfferID:
            .text
        case .ageRating: .asciiText
        case .receiptCreationDate, .originalPurchaseDate, .expirationDate, .purchaseDate, .firstPurchaseDate,
            .expiresDate, .cancellationDate:
            .date
        case .opaqueValue, .deviceHash: .bytes
        case .inApp: .purchase
        }
    }

    /// The JSON name of the field.
    package var name: String {
        switch self {
        case .receiptType: "receiptType"
        case .appAppleID: "appAppleId"
        case .bundleID: "bundleId"
        case .applicationVersion: "applicationVersion"
        case .opaqueValue: "opaqueValue"
        case .deviceHash: "deviceHash"
        case .ageRating: "ageRating"
        case .receiptCreationDate: "receiptCreationDate"
        case .operatingSystemVersion: "operatingSystemVersion"
        case .downloadID: "downloadId"
        case .versionExternalIdentifier: "versionExternalIdentifier"
        case .inApp: "inApp"
        case .originalPurchaseDate, .firstPurchaseDate: "originalPurchaseDate"
        case .originalApplicationVersion: "originalApplicationVersion"
        case .expirationDate: "expirationDate"
        case .quantity: "quantity"
        case .productID: "productId"
        case .transactionID: "transactionId"
        case .purchaseDate: "purchaseDate"
        case .originalTransactionID: "originalTransactionId"
        case .productType: "productType"
        case .expiresDate: "expiresDate"
        case .productAppleID: "productAppleId"
        case .webOrderLineItemID: "webOrderLineItemId"
        case .cancellationDate: "cancellationDate"
        case .isTrialPeriod: "isTrialPeriod"
        case .isInIntroOfferPeriod: "isInIntroOfferPeriod"
        case .cancellationReason: "cancellationReason"
        case .promotionalOfferID: "promotionalOfferId"
        }
    }

    // MARK: Attributes of one part

    private var isOfPurchase: Bool { rawValue >= Self.quantity.rawValue }

    /// The attributes of a receipt in the order of their numbers.
    package static let ofReceipts = allCases.filter { !$0.isOfPurchase }
    /// The attributes of an in-app purchase in the order of their numbers.
    package static let ofPurchases = allCases.filter(\.isOfPurchase)

    /// Returns the attribute of a receipt with a number; nil if its meaning is not published.
    package static func ofReceipt(_ type: Int64) -> Self? {
        guard let attribute = Self(rawValue: type), !attribute.isOfPurchase else { return nil }
        return attribute
    }

    /// Returns the attribute of an in-app purchase with a number; nil if its meaning is not published.
    package static func ofPurchase(_ type: Int64) -> Self? {
        guard let attribute = Self(rawValue: type), attribute.isOfPurchase else { return nil }
        return attribute
    }

    /// Returns the attribute of a receipt with the JSON name of its field.
    package static func ofReceipt(named name: String) -> Self? { ofReceipts.first { $0.name.isIdentical(to: name) } }

    /// Returns the attribute of an in-app purchase with the JSON name of its field.
    package static func ofPurchase(named name: String) -> Self? { ofPurchases.first { $0.name.isIdentical(to: name) } }
}

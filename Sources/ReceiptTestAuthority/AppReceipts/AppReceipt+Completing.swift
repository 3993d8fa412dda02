package import ReceiptTypes
package import ReceiptVerification

extension AppReceipt {
    /// The device ID of receipts that a server fetched: 16 zero bytes.
    package static let deviceIDOfServers = [UInt8](repeating: 0, count: 16)

    /// Adds what every receipt of the App Store has, as far as it is missing: values without a published meaning, and
    /// empty texts and dates.
    ///
    /// - Throws: `CryptoFault` when OpenSSL fails.
    package mutating func complete(using generator: inout some RandomNumberGenerator) throws(CryptoFault) {
        self.opaqueValue = self.opaqueValue ?? Base64.standard.encode(Self.randomBytes(16, &generator))
        self.ageRating = self.ageRating ?? "4+"
        self.operatingSystemVersion = self.operatingSystemVersion ?? 180_302
        self.downloadId = self.downloadId ?? 0
        self.versionExternalIdentifier = self.versionExternalIdentifier ?? 0
        self.unknownAttributes =
            try (self.unknownAttributes ?? []) + [
                .encoding(8, .asciiText("")), .encoding(20, .text("")), .encoding(11, .integer(0)),
                .encoding(14, .integer(229)), .encoding(25, .integer(3)), .encoding(9, .integer(1_345_532_981)),
                .encoding(6, .bytes(Self.randomBytes(55, &generator))),
                .encoding(7, .bytes(Self.randomBytes(54, &generator))),
            ]
        var purchases = self.inApp ?? []
        for index in purchases.indices { try purchases[index].complete() }
        self.inApp = purchases
    }

    /// Stores the hash that binds the receipt to a device, as ``TestAppReceipt/bind(toDevice:)`` computes it.
    package mutating func bind(toDevice deviceID: [UInt8] = deviceIDOfServers) throws(CryptoFault) {
        var contents = TestAppReceipt(self)
        try contents.bind(toDevice: deviceID)
        if case .bytes(let hash) = contents[AppReceiptAttribute.deviceHash.type] {
            self.deviceHash = Base64.standard.encode(hash)
        }
    }

    private static func randomBytes(_ count: Int, _ generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}

extension AppReceiptPurchase {
    /// Adds what every in-app purchase of a receipt has, as far as it is missing.
    fileprivate mutating func complete() throws(CryptoFault) {
        self.quantity = self.quantity ?? 1
        self.productAppleId = self.productAppleId ?? 0
        self.webOrderLineItemId = self.webOrderLineItemId ?? 0
        self.isTrialPeriod = self.isTrialPeriod ?? 0
        self.isInIntroOfferPeriod = self.isInIntroOfferPeriod ?? 0
        var others = self.unknownAttributes ?? []
        // Dates that a purchase does not have are empty texts.
        if self.expiresDate == nil { others.append(try .encoding(1708, .asciiText(""))) }
        if self.cancellationDate == nil { others.append(try .encoding(1712, .asciiText(""))) }
        for number: Int64 in [1709, 1714, 1715, 1716, 1717, 1718] { others.append(try .encoding(number, .text(""))) }
        others.append(try .encoding(1722, .integer(0)))
        self.unknownAttributes = others
    }
}

extension UnknownReceiptAttribute {
    /// Returns an attribute whose value is encoded.
    fileprivate static func encoding(
        _ number: Int64, _ value: TestAppReceipt.Value
    ) throws(CryptoFault) -> UnknownReceiptAttribute {
        var attribute = UnknownReceiptAttribute()
        attribute.type = number
        attribute.version = 1
        attribute.value = Base64.standard.encode(try value.encoded(isSorted: true))
        return attribute
    }
}

extension AppReceiptProductType {
    /// The number of a type of products.
    package init(_ type: ProductType) {
        switch type {
        case .nonConsumable: self = .nonConsumable
        case .consumable: self = .consumable
        case .nonRenewingSubscription: self = .nonRenewingSubscription
        default: self = .autoRenewableSubscription
        }
    }
}

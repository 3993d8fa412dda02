internal import ReceiptTypes

/// What is written down about each verified transaction, to add up purchases that are presented several times.
///
/// The bytes of entries sort by the purchase, which is its environment and its transaction ID, and then by the signing
/// time: the last entry of a purchase is the version that the store has signed last. Of two versions with one signing
/// time, the one with the larger refund comes last.
struct SaleEntry {
    /// What is true of a purchase, as bits.
    struct Facts: OptionSet {
        let rawValue: UInt8

        static let hasPrice = Facts(rawValue: 1)
        static let familyShared = Facts(rawValue: 2)
        static let refundedInFull = Facts(rawValue: 4)
        static let refundedInPart = Facts(rawValue: 8)
        static let freeTrial = Facts(rawValue: 16)
        static let subscription = Facts(rawValue: 32)
    }

    var environment: String?
    var price: Int64 = 0
    var refunded: Int64 = 0
    var facts: Facts = []
    var purchaseDate: Timestamp?
    var currency: String?
    var storefront: String?
    var productID: String?
    var originalTransactionID: String?
    /// The values by which purchases are added up, as in a ``GroupKey``.
    var group: [UInt8] = []

    /// Whether the customer has paid the price: in Production, and not as a family member.
    var isRevenue: Bool { environment == StoreEnvironment.production.rawValue && !facts.contains(.familyShared) }

    // MARK: Writing

    /// Appends the entry of a verified transaction; returns false if it has no ID.
    ///
    /// - Parameter group: The values by which purchases are added up.
    static func append(_ receipt: CheckedReceipt, group: [UInt8], to output: inout [UInt8]) -> Bool {
        guard let document = receipt.document, let claims = receipt.claims, let id = claims.transactionID, !id.isEmpty
        else { return false }
        let start = output.count
        EntrySorter.appendCount(0, to: &output)
        // A transaction without an environment, as in 2021, counts as Production, as it does for the roots' limits.
        EntryBytes.append(claims.environment ?? StoreEnvironment.production.rawValue, to: &output)
        EntryBytes.append(id, to: &output)
        append(document.root, claims, signedAt: receipt.signingTime, to: &output)
        output += group
        EntrySorter.setCount(ofEntryAt: start, in: &output)
        return true
    }

    private static func append(
        _ payload: borrowing JSONNode, _ claims: ReceiptClaims, signedAt time: Timestamp?, to output: inout [UInt8]
    ) {
        let purchaseDate = payload.member("purchaseDate")?.time
        let price = payload.member("price")?.integer
        let refunded =
            claims.refund == .none
            ? 0 : JWSTransactionDecodedPayload(members: payload.object).refundedAmount?.rawValue ?? 0
        var facts: Facts = []
        if price != nil { facts.insert(.hasPrice) }
        if payload.member("inAppOwnershipType")?.text == InAppOwnershipType.familyShared.rawValue {
            facts.insert(.familyShared)
        }
        if claims.isRevoked {
            facts.insert(.refundedInFull)
        } else if claims.refund != .none {
            facts.insert(.refundedInPart)
        }
        if payload.member("offerDiscountType")?.text == OfferDiscountType.freeTrial.rawValue {
            facts.insert(.freeTrial)
        }
        if payload.member("type")?.text == ProductType.autoRenewableSubscription.rawValue {
            facts.insert(.subscription)
        }
        EntryBytes.append(
            ordered: (time ?? purchaseDate ?? .minimum).millisecondsSince1970, to: &output)
        output.append(facts.contains(.refundedInFull) ? 1 : 0)
        EntryBytes.append(ordered: refunded, to: &output)
        EntryBytes.append(ordered: price ?? 0, to: &output)
        output.append(facts.rawValue)
        EntryBytes.append(ordered: purchaseDate?.millisecondsSince1970 ?? .min, to: &output)
        EntryBytes.append(payload.member("currency")?.text, to: &output)
        EntryBytes.append(payload.member("storefront")?.text, to: &output)
        EntryBytes.append(payload.member("productId")?.text, to: &output)
        EntryBytes.append(claims.originalTransactionID, to: &output)
    }

    // MARK: Reading

    /// Returns the number of bytes of the purchase, by which entries of one purchase are recognized.
    static func purchaseCount(in entry: RawSpan) -> Int {
        var reader = EntryReader(entry)
        for _ in 0..<2 { _ = reader.textPlace() }
        return reader.offset
    }

    /// Reads the bytes of an entry.
    init(_ entry: RawSpan) {
        var reader = EntryReader(entry)
        environment = reader.text()
        _ = reader.textPlace()
        _ = reader.orderedNumber()
        _ = reader.byte()
        refunded = reader.orderedNumber()
        price = reader.orderedNumber()
        facts = Facts(rawValue: reader.byte())
        purchaseDate = Timestamp(milliseconds: reader.orderedNumber())
        currency = reader.text()
        storefront = reader.text()
        productID = reader.text()
        originalTransactionID = reader.text()
        group = entry.extracting(min(reader.offset, entry.byteCount)..<entry.byteCount).array
    }
}

extension EntrySorter {
    /// Passes the version of each purchase that the store has signed last, in the order of the purchases.
    consuming func forEachSale(_ body: (SaleEntry) throws -> Void) throws {
        var last: [UInt8] = []
        var purchaseCount = 0
        try forEach { entry in
            let count = SaleEntry.purchaseCount(in: entry)
            let isSame = last.withRawSpan { last in
                count == purchaseCount && entry.extracting(0..<count).isEqual(to: last.extracting(0..<purchaseCount))
            }
            if !isSame, !last.isEmpty { try last.withRawSpan { try body(SaleEntry($0)) } }
            last = entry.array
            purchaseCount = count
        }
        if !last.isEmpty { try last.withRawSpan { try body(SaleEntry($0)) } }
    }
}

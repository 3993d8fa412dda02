public import ReceiptTypes

/// The prices of some purchases, each counted once, in exact thousandths of one currency.
public struct SalesSum: Sendable, Hashable {
    /// The number of purchases with a price.
    public private(set) var purchases = 0
    /// The number of these that were refunded in full or otherwise revoked.
    public private(set) var refundedInFull = 0
    /// The number of these that were refunded in part.
    public private(set) var refundedInPart = 0
    /// The sum of the prices; nil if it is too large to be represented.
    public private(set) var price: Milliunits? = Milliunits(0)
    /// The sum of what was refunded; nil if it is too large to be represented.
    public private(set) var refunded: Milliunits? = Milliunits(0)

    /// The sum of what was not refunded; nil if it is too large to be represented.
    public var kept: Milliunits? {
        guard let price, let refunded else { return nil }
        return Self.sum(price, -1, refunded)
    }

    init() {}

    init(_ sale: SaleEntry) { add(sale) }

    mutating func add(_ sale: SaleEntry) {
        purchases += 1
        if sale.facts.contains(.refundedInFull) { refundedInFull += 1 }
        if sale.facts.contains(.refundedInPart) { refundedInPart += 1 }
        price = price.flatMap { Self.sum($0, 1, Milliunits(sale.price)) }
        refunded = refunded.flatMap { Self.sum($0, 1, Milliunits(sale.refunded)) }
    }

    private static func sum(_ first: Milliunits, _ sign: Int64, _ second: Milliunits) -> Milliunits? {
        let (sum, isTooLarge) =
            sign < 0
            ? first.rawValue.subtractingReportingOverflow(second.rawValue)
            : first.rawValue.addingReportingOverflow(second.rawValue)
        return isTooLarge ? nil : Milliunits(sum)
    }
}

/// The sums of purchases by some values.
public struct SalesTable: Sendable {
    /// The purchases with equal values.
    public struct Row: Sendable, Hashable {
        /// The values, in the order of the table; nil for one that the purchases do not have.
        public let values: [String?]
        /// The sums of the prices.
        public let sum: SalesSum
    }

    /// The number of purchases in none of the rows, because there are too many different values.
    public private(set) var others = 0
    /// The sums by the values, as ``EntryBytes`` writes them: text is compared by its bytes.
    private var sums: [GroupKey: SalesSum] = [:]
    private var byteCount = 0

    mutating func add(_ sale: SaleEntry, by values: [String?]) {
        var key = GroupKey()
        for value in values { EntryBytes.append(value, to: &key.bytes) }
        if let index = sums.index(forKey: key) { return sums.values[index].add(sale) }
        guard sums.count < BatchOverview.maximumGroups,
            byteCount + key.bytes.count <= BatchOverview.maximumByteCount
        else {
            others += 1
            return
        }
        byteCount += key.bytes.count
        sums[key] = SalesSum(sale)
    }

    /// The rows, those with the most purchases first, and equal ones in the order of their values.
    public var rows: [Row] {
        let sorted = sums.sorted { left, right in
            left.value.purchases != right.value.purchases
                ? left.value.purchases > right.value.purchases : left.key.precedes(right.key)
        }
        return sorted.map { Row(values: Self.values(in: $0.key), sum: $0.value) }
    }

    private static func values(in key: GroupKey) -> [String?] {
        key.bytes.withRawSpan { bytes in
            var values: [String?] = []
            var reader = EntryReader(bytes)
            while reader.offset < bytes.byteCount { values.append(reader.text()) }
            return values
        }
    }
}

/// The purchases of a batch, each in the version that the store has signed last.
///
/// A purchase is an environment and a transaction ID. It counts once, however often receipts and notifications present
/// it. A price is that of the complete quantity, and
/// ``/ReceiptTypes/JWSTransactionDecodedPayload/refundedAmount`` is the refunded part of it.
public struct SalesTotals: Sendable {
    /// The sums of purchases that customers have paid for in Production, by currency.
    public private(set) var currencies = SalesTable()
    /// The same by product and currency.
    public private(set) var products = SalesTable()
    /// The same by storefront and currency.
    public private(set) var storefronts = SalesTable()
    /// The same by the month of the purchase, such as `2025-10`, and currency.
    public private(set) var months = SalesTable()
    /// The same by the day of the purchase, such as `2025-10-01`, and currency.
    public private(set) var days = SalesTable()
    /// The purchases that are no revenue: by environment, ownership and currency.
    public private(set) var apart = SalesTable()
    /// The number of purchases in Production without a price, which older payloads lack.
    public private(set) var unpriced = 0
    /// The number of transactions without an ID, which are left out.
    public internal(set) var unidentified = 0
    /// The receipts of purchases that have no prices at all, which are left out.
    public internal(set) var withoutPrices = ReceiptsWithoutPrices()
    /// The number of free trials in Production.
    public private(set) var trials = 0
    /// The number of subscriptions in Production with a free trial and a later period without one.
    public internal(set) var convertedTrials = 0

    init() {}

    /// - Parameter utcOffset: As ``ResultContents/utcOffset``.
    mutating func add(_ sale: SaleEntry, utcOffset: (Timestamp) -> Int64) {
        guard sale.isRevenue else {
            if sale.facts.contains(.hasPrice) {
                let ownership = sale.facts.contains(.familyShared) ? InAppOwnershipType.familyShared.rawValue : nil
                apart.add(sale, by: [sale.environment, ownership, sale.currency])
            }
            return
        }
        if sale.facts.contains(.freeTrial) { trials += 1 }
        guard sale.facts.contains(.hasPrice) else {
            unpriced += 1
            return
        }
        currencies.add(sale, by: [sale.currency])
        products.add(sale, by: [sale.productID, sale.currency])
        storefronts.add(sale, by: [sale.storefront, sale.currency])
        let date = sale.purchaseDate.map { "\($0.adding(milliseconds: utcOffset($0) * 1000))" }
        months.add(sale, by: [date.map { String($0.prefix(ValueWriter.monthLength)) }, sale.currency])
        days.add(sale, by: [date.map { String($0.prefix(ValueWriter.dayLength)) }, sale.currency])
    }
}

/// The numbers of verified receipts about purchases that have no prices: what the store signs does not contain any.
public struct ReceiptsWithoutPrices: Sendable, Hashable {
    /// The number of Google Play purchases.
    public private(set) var playPurchases = 0
    /// The number of app receipts.
    public private(set) var appReceipts = 0

    mutating func add(_ receipt: CheckedReceipt) {
        guard receipt.isVerified else { return }
        if receipt.kind == .playPurchase { playPurchases += 1 }
        if receipt.kind == .appReceipt { appReceipts += 1 }
    }

    mutating func add(_ other: ReceiptsWithoutPrices) {
        playPurchases += other.playPurchases
        appReceipts += other.appReceipts
    }
}

/// What is written down about each period of a subscription, to find the free trials that a paid period follows.
///
/// The bytes sort by the subscription and the date.
enum TrialEntry {
    static func append(_ sale: SaleEntry, to output: inout [UInt8]) {
        guard sale.isRevenue, let id = sale.originalTransactionID, sale.facts.contains(.subscription) else { return }
        let isPaid = !sale.facts.contains(.freeTrial) && (!sale.facts.contains(.hasPrice) || sale.price > 0)
        guard isPaid || sale.facts.contains(.freeTrial) else { return }
        let start = output.count
        EntrySorter.appendCount(0, to: &output)
        EntryBytes.append(id, to: &output)
        EntryBytes.append(ordered: sale.purchaseDate?.millisecondsSince1970 ?? .min, to: &output)
        output.append(isPaid ? 1 : 0)
        EntrySorter.setCount(ofEntryAt: start, in: &output)
    }

    /// Returns the number of subscriptions in which a paid period follows a free trial.
    static func conversions(in sorter: consuming EntrySorter) throws -> Int {
        var conversions = 0
        var subscription: [UInt8] = []
        var hasTrial = false
        try sorter.forEach { entry in
            var reader = EntryReader(entry)
            _ = reader.textPlace()
            let id = entry.extracting(0..<reader.offset)
            if !subscription.withRawSpan({ $0.isEqual(to: id) }) {
                subscription = id.array
                hasTrial = false
            }
            _ = reader.orderedNumber()
            let isPaid = reader.byte() == 1
            if isPaid, hasTrial { conversions += 1 }
            // One conversion for each trial.
            hasTrial = !isPaid
        }
        return conversions
    }
}

public import ReceiptTypes

/// The prices of purchases by the values of fields; see ``BatchVerifier/sum(_:by:temporaryFolder:report:)``.
public struct SalesCounts: Sendable {
    /// The purchases with equal values.
    public struct Group: Sendable, Hashable {
        /// The values of the fields as text, in their order; nil for one that the purchases do not have.
        public let values: [String?]
        /// The values as a JSON object.
        public let json: String
        /// The sums of the prices.
        public let sum: SalesSum
    }

    /// The most fields.
    public static let maximumFields = 64

    /// The names of the fields, which end with `currency` if it was not chosen.
    public let names: [String]
    /// The groups, those with the most purchases first.
    public internal(set) var groups: [Group] = []
    /// The number of family-shared purchases, which are left out.
    public internal(set) var familyShared = 0
    /// The number of purchases in other environments than Production, which are left out.
    public internal(set) var notInProduction = 0
    /// The number of purchases without a price.
    public internal(set) var unpriced = 0
    /// The number of transactions without an ID, which are left out.
    public internal(set) var unidentified = 0
    /// The receipts of purchases that have no prices at all, which are left out.
    public internal(set) var withoutPrices = ReceiptsWithoutPrices()
}

extension BatchVerifier {
    /// Verifies all receipts of the sources, and adds up the prices of purchases by the values of fields.
    ///
    /// A purchase is an environment and a transaction ID. It counts once, however often receipts and notifications
    /// present it, with the values of the result whose version the store has signed last. Only purchases in Production
    /// that are not family-shared are added up, in exact thousandths of their currency. The fields `day` and `month`
    /// are those of ``ResultPeriod/purchaseDates``, by which a period chooses purchases too, unless it names other
    /// dates: a store signs a transaction again with each refund and each time that it sends it. Memory use does not
    /// grow with the input: the purchases are sorted in a temporary file, as
    /// ``findDuplicates(in:temporaryFolder:report:take:)`` does it, with at most about 50 MB in memory.
    ///
    /// - Parameters:
    ///   - sources: The sources, read one after another.
    ///   - fields: The fields whose values make a group, at most ``SalesCounts/maximumFields``.
    ///   - folder: The folder of the temporary file.
    ///   - report: Receives the progress, from time to time.
    /// - Throws: The errors of `report` and of a source's `read`, ``BatchError``, such as
    ///   ``BatchError/Code/tooManyGroups`` for more groups than ``ResultCounts/maximumGroups``, and ``FileError`` for
    ///   the temporary file.
    public func sum(
        _ sources: [BatchSource],
        by fields: ResultFields,
        temporaryFolder folder: String,
        report: (Progress) throws -> Void = { _ in }
    ) throws -> (sums: SalesCounts, summary: BatchSummary) {
        let fields = fields.names.contains("currency") ? fields : try ResultFields(fields.names + ["currency"])
        let tooMany = BatchError(code: .tooManyGroups, detail: fields.names.joined(separator: ","))
        guard fields.names.count <= SalesCounts.maximumFields else { throw tooMany }
        var counts = SalesCounts(names: fields.names)
        var sales = EntrySorter(try SpillFile(in: folder))
        let batch = producing([.sales, .groupedSales], by: [fields])
        let summary = try batch.verify(sources, from: BatchPosition()) { output, progress in
            try sales.add(output.sales)
            counts.unidentified += output.unidentifiedSales
            counts.withoutPrices.add(output.withoutPrices)
            try report(progress)
        }
        var sums: [GroupKey: SalesSum] = [:]
        var byteCount = 0
        try sales.forEachSale { sale in
            guard sale.isRevenue else {
                if sale.facts.contains(.familyShared) { counts.familyShared += 1 } else { counts.notInProduction += 1 }
                return
            }
            guard sale.facts.contains(.hasPrice) else {
                counts.unpriced += 1
                return
            }
            let key = GroupKey(bytes: sale.group)
            if let index = sums.index(forKey: key) { return sums.values[index].add(sale) }
            byteCount += key.bytes.count
            guard sums.count < ResultCounts.maximumGroups, byteCount <= ResultCounts.maximumByteCount else {
                throw tooMany
            }
            sums[key] = SalesSum(sale)
        }
        let sorted = sums.sorted { left, right in
            left.value.purchases != right.value.purchases
                ? left.value.purchases > right.value.purchases : left.key.precedes(right.key)
        }
        counts.groups = sorted.map { key, sum in
            let (values, json) = key.read(fields.names)
            return SalesCounts.Group(values: values, json: json, sum: sum)
        }
        return (counts, summary)
    }
}

extension SalesCounts {
    /// Returns the header line and a line for each group, as CSV.
    ///
    /// - Parameter keepsDigits: As ``ResultContents/keepsDigits``.
    public func csv(keepsDigits: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        for name in names + ["purchases", "price", "refunded"] {
            CSV.append(name, to: &output)
            output.append(CSV.comma)
        }
        output += [UInt8]("kept\r\n".utf8)
        for group in groups {
            let amounts = [group.sum.price, group.sum.refunded, group.sum.kept].map { text(of: $0, in: group) ?? "" }
            for value in group.values + ["\(group.sum.purchases)"] + amounts {
                CSV.append(HiddenCharacters.escaped(value ?? ""), keepsDigits: keepsDigits, to: &output)
                output.append(CSV.comma)
            }
            output.removeLast()
            output += [UInt8]("\r\n".utf8)
        }
        return output
    }

    /// Returns an amount of a group as a decimal with the decimals of its currency; nil for nil.
    public func text(of amount: Milliunits?, in group: Group) -> String? {
        let place = names.firstIndex(of: "currency")
        let currency = place.flatMap { group.values.indices.contains($0) ? group.values[$0] : nil }
        return amount?.text(decimals: CurrencyDecimals.count(of: currency))
    }
}

internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The sums of prices in the form in which the page shows them.
enum Revenue {
    /// Returns an amount with the decimals of its currency and with its digits in groups.
    static func text(_ amount: Milliunits?, _ currency: String?) -> String {
        guard let amount else { return "too large" }
        let text = amount.text(decimals: CurrencyDecimals.count(of: currency))
        let parts = text.split(separator: ".", maxSplits: 1)
        guard let units = parts.first.flatMap({ Int($0) }) else { return text }
        // A sum of less than one unit has its sign only in front of the 0.
        let sign = units == 0 && amount.rawValue < 0 ? "-" : ""
        return sign + "\(GroupedNumber(units))" + (parts.count == 2 ? ".\(parts[1])" : "")
    }

    /// The headings of the columns of a sum, and its cells.
    static let columns: [DataTable.Column] = [
        .number("Purchases"), .number("Charged"), .number("Refunded"), .number("Kept"),
    ]

    static func cells(_ sum: SalesSum, _ currency: String?) -> [String] {
        [PageText.number(sum.purchases)] + [sum.price, sum.refunded, sum.kept].map { text($0, currency) }
    }
}

extension SalesSum {
    /// The part of the amount that is refunded.
    var refundedRatio: Double {
        guard let price, let refunded, price.rawValue > 0 else { return 0 }
        return min(max(Double(refunded.rawValue) / Double(price.rawValue), 0), 1)
    }
}

/// The sections about prices: by currency, product, country, month and day, refunds, trials, and what is no revenue.
extension PageSection {
    private static let maximumRows = 30
    /// The most days that are listed: two months.
    private static let maximumDays = 62

    static func revenue(_ sales: SalesTotals) -> PageSection? {
        let rows = sales.currencies.rows
        let leftOut = sales.withoutPrices.playPurchases + sales.withoutPrices.appReceipts
        guard !rows.isEmpty || sales.unpriced + sales.unidentified + leftOut > 0 else { return nil }
        var section = PageSection(id: "revenue", title: "Revenue by currency")
        section.legend = rows.isEmpty ? .empty : Tone.legend([(.verified, "kept"), (.revoked, "refunded")])
        section.chart =
            BarChart(
                title: "Prices of purchases by currency, with the part that is refunded",
                bars: rows.prefix(RankedValues.maximumBars).map { row in
                    BarChart.Bar(
                        label: row.values[0] ?? "(no currency)", value: Revenue.text(row.sum.kept, row.values[0]),
                        parts: [(.verified, 1 - row.sum.refundedRatio), (.revoked, row.sum.refundedRatio)])
                }
            ).html
        section.notes = notes(sales) + beyond(sales.currencies, shown: maximumRows)
        section.table = DataTable(
            name: "revenue", caption: "Prices of purchases by currency",
            columns: [.text("Currency")] + Revenue.columns,
            rows: rows.prefix(maximumRows).map { [$0.values[0] ?? "(none)"] + Revenue.cells($0.sum, $0.values[0]) })
        return section
    }

    private static func notes(_ sales: SalesTotals) -> [String] {
        var notes = [
            "Purchases in Production that are not family-shared. Each counts once, however often receipts and "
                + "notifications present it, in the version that the store has signed last. A price is that of the "
                + "complete quantity.",
            "Apple does not mean these prices for accounting: use the financial reports of App Store Connect for that. "
                + "Taxes and the store's share are not deducted.",
        ]
        if sales.unpriced > 0 {
            notes.append("Without a price: \(PageText.count(sales.unpriced, "purchase")).")
        }
        if sales.unidentified > 0 {
            notes.append("Left out: \(PageText.count(sales.unidentified, "transaction")) without an ID.")
        }
        if sales.withoutPrices.playPurchases > 0 {
            let receipts = PageText.count(sales.withoutPrices.playPurchases, "receipt")
            notes.append("Left out: \(receipts) of Google Play, whose signed data has no prices.")
        }
        if sales.withoutPrices.appReceipts > 0 {
            let receipts = PageText.count(sales.withoutPrices.appReceipts, "app receipt")
            notes.append("Left out: \(receipts), which have no prices.")
        }
        return notes
    }

    static func refunds(_ sales: SalesTotals) -> PageSection? {
        let rows = sales.currencies.rows.filter { $0.sum.refundedInFull + $0.sum.refundedInPart > 0 }
        guard !rows.isEmpty else { return nil }
        let (full, part) = rows.reduce((0, 0)) { ($0.0 + $1.sum.refundedInFull, $0.1 + $1.sum.refundedInPart) }
        var section = PageSection(id: "refunds", title: "Refunds")
        section.lead =
            "\(PageText.count(full, "purchase is", "purchases are")) refunded in full, and \(PageText.number(part)) in "
            + "part."
        section.notes = [
            "Of a consumable, the refunded share of the price is counted, rounded to a thousandth of the currency; of "
                + "Advanced Commerce items, the amounts of their refunds. Every other product with a revocation date "
                + "counts as refunded in full, such as a subscription, whatever its share."
        ]
        section.table = DataTable(
            name: "refunds", caption: "Refunds by currency",
            columns: [.text("Currency"), .number("In full"), .number("In part"), .number("Refunded")],
            rows: rows.prefix(maximumRows).map { row in
                [
                    row.values[0] ?? "(none)", PageText.number(row.sum.refundedInFull),
                    PageText.number(row.sum.refundedInPart), Revenue.text(row.sum.refunded, row.values[0]),
                ]
            })
        return section
    }

    static func revenueByProduct(_ sales: SalesTotals) -> PageSection? {
        let rows = sales.products.rows
        guard !rows.isEmpty else { return nil }
        var section = PageSection(id: "revenue-products", title: "Revenue by product")
        section.notes = beyond(sales.products, shown: maximumRows)
        section.table = prices("revenue-products", by: "Product", rows.prefix(maximumRows))
        return section
    }

    static func revenueByStorefront(_ sales: SalesTotals) -> PageSection? {
        let rows = sales.storefronts.rows
        guard !rows.isEmpty else { return nil }
        var section = PageSection(id: "revenue-storefronts", title: "Revenue by country")
        section.lead = "By the App Store storefront and the currency of the price."
        section.notes = beyond(sales.storefronts, shown: maximumRows)
        section.table = prices("revenue-storefronts", by: "Storefront", rows.prefix(maximumRows))
        return section
    }

    /// Returns the sections by month and by day.
    ///
    /// - Parameter zone: The name of the time zone.
    static func revenueByTime(_ sales: SalesTotals, zone: String) -> [PageSection] {
        [
            byTime(sales.months, "months", "Revenue by month", "Month", zone, shown: maximumDays),
            byTime(sales.days, "days", "Revenue by day", "Day", zone, shown: maximumDays),
        ].compactMap(\.self)
    }

    private static func byTime(
        _ table: SalesTable, _ name: String, _ title: String, _ column: String, _ zone: String, shown: Int
    ) -> PageSection? {
        // The latest first; within one, the order of the table.
        let rows = table.rows.enumerated().sorted { left, right in
            let (first, second) = (left.element.values[0] ?? "", right.element.values[0] ?? "")
            return first != second ? first > second : left.offset < right.offset
        }.map(\.element)
        guard !rows.isEmpty else { return nil }
        var section = PageSection(id: "revenue-\(name)", title: title)
        section.lead =
            "By the time of the purchase in \(PageText.shown(zone)); a refund counts at the time of its purchase."
        section.notes = beyond(table, shown: shown, order: "latest")
        section.table = prices("revenue-\(name)", by: column, rows.prefix(shown), none: "no date")
        return section
    }

    /// Returns the table of prices by a value and the currency.
    ///
    /// - Parameter none: What stands in place of an absent value.
    private static func prices(
        _ name: String, by column: String, _ rows: ArraySlice<SalesTable.Row>, none: String = "(none)"
    ) -> DataTable {
        DataTable(
            name: name, caption: "Prices of purchases by \(column.lowercased()) and currency",
            columns: [.text(column), .text("Currency")] + Revenue.columns,
            rows: rows.map { row in
                [row.values[0] ?? none, row.values[1] ?? "(none)"] + Revenue.cells(row.sum, row.values[1])
            })
    }

    static func trials(_ sales: SalesTotals) -> PageSection? {
        guard sales.trials > 0 else { return nil }
        var section = PageSection(id: "trials", title: "Free trials")
        section.lead =
            "\(PageText.count(sales.trials, "free trial")), of which "
            + "\(PageText.number(sales.convertedTrials)) \(sales.convertedTrials == 1 ? "has" : "have") a later paid "
            + "period."
        section.notes = [
            "Trials in Production whose paid period is not among the receipts are not known to have one."
        ]
        section.table = DataTable(
            name: "trials", caption: "Free trials", columns: [.text("Trials"), .number("Number"), .number("Share")],
            rows: [
                ("with a later paid period", sales.convertedTrials),
                ("without", sales.trials - sales.convertedTrials),
            ].map { [$0, PageText.number($1), PageText.share($1, of: sales.trials)] })
        return section
    }

    static func noRevenue(_ sales: SalesTotals) -> PageSection? {
        let rows = sales.apart.rows
        guard !rows.isEmpty else { return nil }
        var section = PageSection(id: "no-revenue", title: "Prices that are no revenue")
        section.lead = "Test purchases, and purchases for which a family member has paid."
        section.notes = beyond(sales.apart, shown: maximumRows)
        section.table = DataTable(
            name: "no-revenue", caption: "Prices of other purchases",
            columns: [
                .text("Environment"), .text("Ownership"), .text("Currency"), .number("Purchases"), .number("Price"),
            ],
            rows: rows.prefix(maximumRows).map { row in
                [
                    row.values[0] ?? "-", row.values[1] ?? "-", row.values[2] ?? "(none)",
                    PageText.number(row.sum.purchases), Revenue.text(row.sum.price, row.values[2]),
                ]
            })
        return section
    }

    private static func beyond(_ table: SalesTable, shown: Int, order: String = "first") -> [String] {
        var notes: [String] = []
        let count = table.rows.count
        if count > shown { notes.append("The \(order) \(shown) of \(PageText.number(count)) rows.") }
        if table.others > 0 {
            notes.append(
                "There are more than \(PageText.number(count)) different values: of the others, "
                    + "\(PageText.count(table.others, "purchase is", "purchases are")) not in these numbers.")
        }
        return notes
    }
}

internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The sections about purchases: their prices, and those that are presented more than once.
extension PageSection {
    /// The most rows of the tables in these sections.
    private static let maximumRows = 30

    static func revenue(_ prices: CountedResults) -> PageSection? {
        let revenue = Revenue(prices)
        guard !revenue.rows.isEmpty || revenue.notificationCount > 0 else { return nil }
        let rows = revenue.rows.prefix(maximumRows)
        var section = PageSection(id: "revenue", title: "Revenue by currency")
        section.legend = rows.isEmpty ? .empty : Tone.legend([(.verified, "not revoked"), (.revoked, "revoked")])
        section.chart =
            BarChart(
                title: "Prices of verified receipts by currency, with the part that is revoked",
                bars: rows.prefix(RankedValues.maximumBars).map { row in
                    BarChart.Bar(
                        label: [row.currency ?? "(no currency)", row.environment].compactMap(\.self)
                            .joined(separator: ", "),
                        value: row.kept.text(row.currency),
                        parts: [(.verified, 1 - row.revokedRatio), (.revoked, row.revokedRatio)])
                }
            ).html
        section.notes = notes(revenue) + beyond(prices)
        section.table = DataTable(
            name: "revenue", caption: "Prices of verified receipts by currency",
            columns: [
                .text("Currency"), .text("Environment"), .number("Receipts"), .number("Revenue"),
                .number("Revoked receipts"), .number("Revoked amount"),
            ],
            rows: rows.map { row in
                [
                    row.currency ?? "(none)", row.environment ?? "-", PageText.number(row.kept.count),
                    row.kept.text(row.currency), PageText.number(row.revoked.count), row.revoked.text(row.currency),
                ]
            })
        return section
    }

    private static func notes(_ revenue: Revenue) -> [String] {
        var notes = [
            "Price times quantity of each verified receipt that is not revoked. A purchase that is there twice is "
                + "added twice. Prices are those of customers: taxes and the store's share are not deducted."
        ]
        if revenue.rows.count > maximumRows { notes.append("The first \(maximumRows) of \(revenue.rows.count).") }
        if revenue.notificationCount > 0 {
            notes.append(
                "Not added: the prices in \(PageText.count(revenue.notificationCount, "notification")), because a "
                    + "purchase has several.")
        }
        if revenue.familyCount > 0 {
            notes.append(
                "Not added: \(PageText.count(revenue.familyCount, "receipt")) of family members that have not paid.")
        }
        if revenue.unreadableCount > 0 {
            notes.append(
                "Not added: \(PageText.count(revenue.unreadableCount, "receipt")) with a price that is no amount.")
        }
        return notes
    }

    static func duplicates(_ totals: DuplicateTotals) -> PageSection? {
        var section = PageSection(id: "duplicates", title: "Duplicates")
        guard let largest = totals.mostFrequent.first?.count else {
            section.lead = "No purchase is presented more than once."
            return section
        }
        section.lead =
            "\(PageText.count(totals.purchases, "purchase is", "purchases are")) presented more than once, in "
            + "\(PageText.count(totals.receipts, "receipt"))."
        section.chart =
            BarChart(
                title: "Purchases with the most receipts",
                bars: totals.mostFrequent.map { duplicate in
                    BarChart.Bar(
                        label: duplicate.id, value: PageText.count(duplicate.count, "receipt"),
                        parts: [
                            (.verified, Double(duplicate.verifiedCount) / Double(largest)),
                            (.unverified, Double(duplicate.count - duplicate.verifiedCount) / Double(largest)),
                        ])
                }
            ).html
        section.legend = Tone.legend([(.verified, "verified"), (.unverified, "not verified")])
        section.notes = [
            "By the ID of the transaction, the purchase token or the order ID, with app and environment. Receipts that "
                + "are not verified count with the ID that they claim to have. --duplicates lists all."
        ]
        section.table = DataTable(
            name: "duplicates", caption: "Purchases with the most receipts",
            columns: [
                .text("ID"), .text("App"), .text("Environment"), .number("Receipts"), .number("Verified"),
                .text("First places"),
            ],
            rows: totals.mostFrequent.map { duplicate in
                [
                    duplicate.id, duplicate.bundleID ?? "-", duplicate.environment ?? "-",
                    PageText.number(duplicate.count), PageText.number(duplicate.verifiedCount),
                    duplicate.occurrences.prefix(3).map { "\($0.source):\($0.line)" }.joined(separator: " "),
                ]
            })
        return section
    }
}

extension DuplicateReceipt {
    fileprivate var id: String { transactionID ?? purchaseToken ?? "-" }
}

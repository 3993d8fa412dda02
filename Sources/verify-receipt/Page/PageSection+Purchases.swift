internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The section about purchases that are presented more than once.
extension PageSection {
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

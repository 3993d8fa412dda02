internal import CommandLineInterface
internal import ReceiptTypes

/// A section about the values of one field of verified receipts, such as products: the most frequent ones as bars, and
/// more of them in the table.
struct RankedValues {
    static let maximumBars = 10
    private static let maximumRows = 30

    let id: String
    let title: String
    /// The name of a value in the heading of the table.
    let noun: String
    /// What stands in place of a value that receipts do not have.
    var absent = "(none)"
    let field: String

    func section(_ counts: CountedResults) -> PageSection? {
        let totals = counts.totals(of: field) { $0.has(.verified) }
        let all = totals.reduce(0) { $0 + $1.count } + counts.others
        guard let largest = totals.first?.count else { return nil }
        let bars = totals.prefix(Self.maximumBars).map { total in
            let kept = total.count - total.revokedCount
            return BarChart.Bar(
                label: total.value ?? absent, value: Self.value(total.count, of: all),
                parts: [
                    (.plain, Double(kept) / Double(largest)),
                    (.revoked, Double(total.revokedCount) / Double(largest)),
                ])
        }
        let hasRevoked = totals.contains { $0.revokedCount > 0 }
        var section = PageSection(id: id, title: title)
        section.legend =
            hasRevoked ? Tone.legend([(.plain, "not revoked"), (.revoked, "revoked")]) : .empty
        section.chart = BarChart(title: "Verified receipts by \(noun.lowercased())", bars: bars).html
        if totals.count > bars.count {
            section.notes.append("The first \(bars.count) of \(PageText.number(totals.count)).")
        }
        section.notes += PageSection.beyond(counts)
        section.table = table(totals, all, hasRevoked: hasRevoked, others: counts.others)
        return section
    }

    private func table(
        _ totals: [CountedResults.Total], _ all: Int, hasRevoked: Bool, others: Int
    ) -> DataTable {
        var shown = Array(totals.prefix(Self.maximumRows))
        var names = shown.map { $0.value ?? absent }
        let rest = totals.dropFirst(Self.maximumRows)
        if !rest.isEmpty || others > 0 {
            let count = rest.reduce(others) { $0 + $1.count }
            shown.append(.init(value: nil, count: count, revokedCount: rest.reduce(0) { $0 + $1.revokedCount }))
            names.append("all others")
        }
        return DataTable(
            name: id, caption: "Verified receipts by \(noun.lowercased())",
            columns: [.text(noun), .number("Receipts"), .number("Share")]
                + (hasRevoked ? [.number("Revoked")] : []),
            rows: zip(names, shown).map { name, total in
                [name, PageText.number(total.count), PageText.share(total.count, of: all)]
                    + (hasRevoked ? [PageText.number(total.revokedCount)] : [])
            })
    }

    static func value(_ count: Int, of all: Int) -> String {
        "\(PageText.number(count)) · \(PageText.share(count, of: all))"
    }
}

extension PageSection {
    static func products(_ counts: CountedResults) -> PageSection? {
        RankedValues(id: "products", title: "Products", noun: "Product", field: "productId").section(counts)
    }

    static func storefronts(_ counts: CountedResults) -> PageSection? {
        RankedValues(id: "storefronts", title: "Storefronts", noun: "Storefront", field: "storefront").section(counts)
    }

    static func environments(_ counts: CountedResults) -> PageSection? {
        RankedValues(id: "environments", title: "Environments", noun: "Environment", field: "environment")
            .section(counts)
    }

    static func kinds(_ counts: CountedResults) -> PageSection? {
        RankedValues(id: "kinds", title: "Kinds of receipts", noun: "Kind", field: "kind").section(counts)
    }
}

internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The sections about verdicts: when verified receipts were signed, and why others are not verified.
extension PageSection {
    /// - Parameters:
    ///   - days: The counts by day.
    ///   - zone: The name of the time zone.
    static func overTime(_ days: CountedResults, zone: String) -> PageSection? {
        let totals = days.totals(of: "day") { $0.has(.verified) }
        let time = TimeBuckets(totals)
        guard !time.buckets.isEmpty else { return nil }
        let columns = time.buckets.map { bucket in
            ColumnChart.Column(
                label: bucket.label,
                note: "\(bucket.label): \(PageText.number(bucket.count)) verified"
                    + (bucket.revokedCount > 0 ? ", \(PageText.number(bucket.revokedCount)) of them revoked" : ""),
                parts: [(.verified, bucket.count - bucket.revokedCount), (.revoked, bucket.revokedCount)])
        }
        let undated = totals.first { $0.value == nil }
        var section = PageSection(id: "time", title: "Verified receipts by signing time")
        section.isWide = true
        section.legend = Tone.legend([(.verified, "verified"), (.revoked, "verified, and revoked by the store")])
        section.chart =
            ColumnChart(title: "Verified receipts by \(time.unit.title.lowercased())", columns: columns).html
        section.notes = [
            "In \(PageText.shown(zone)); a Google Play purchase counts at its time of purchase. Receipts that are not "
                + "verified have no date: anyone can have written the one in them."
        ]
        if let undated { section.notes.append("Without a date: \(PageText.count(undated.count, "verified receipt")).") }
        section.notes += beyond(days)
        section.table = DataTable(
            name: "days", caption: "Verified receipts by \(time.unit.title.lowercased())",
            columns: [.text(time.unit.title), .number("Verified"), .number("Of these revoked")],
            rows: time.buckets.filter { $0.count > 0 }.map {
                [$0.label, PageText.number($0.count), PageText.number($0.revokedCount)]
            } + (undated.map { [["no date", PageText.number($0.count), PageText.number($0.revokedCount)]] } ?? []))
        return section
    }

    static func reasons(_ outcomes: CountedResults, _ refusals: [RefusedReceipt]) -> PageSection? {
        let totals = outcomes.totals(of: "code") { !$0.has(.verified) }
        let all = totals.reduce(0) { $0 + $1.count }
        guard all > 0, let largest = totals.first?.count else { return nil }
        let undecided = Set(outcomes.totals(of: "code") { $0.has(.undecided) }.map(\.value))
        func verdict(_ total: CountedResults.Total) -> Verdict {
            undecided.contains(total.value) ? .undecided : .unverified
        }
        var section = PageSection(id: "reasons", title: "Reasons")
        section.lead = "\(PageText.count(all, "receipt is", "receipts are")) not verified."
        section.isWide = true
        section.legend = Tone.legend([
            (.unverified, "unverified: do not grant access"), (.undecided, "undecided: something is missing to decide"),
        ])
        section.chart =
            BarChart(
                title: "Receipts that are not verified, by reason",
                bars: totals.prefix(RankedValues.maximumBars).map { total in
                    BarChart.Bar(
                        label: total.value ?? "", value: RankedValues.value(total.count, of: all),
                        parts: [(Tone(verdict(total)), Double(total.count) / Double(largest))])
                }
            ).html
        section.table = DataTable(
            name: "reasons", caption: "Receipts that are not verified, by reason",
            columns: [.text("Code"), .text("Meaning"), .text("Verdict"), .number("Receipts"), .number("Share")],
            rows: totals.map { total in
                let failure = refusals.first { $0.failure.code.rawValue == total.value }?.failure
                return [
                    total.value ?? "", failure?.code.meaning ?? "", verdict(total).rawValue,
                    PageText.number(total.count), PageText.share(total.count, of: all),
                ]
            })
        return section
    }

    /// Returns the sentence about results that have no group because there are too many values.
    static func beyond(_ counts: CountedResults) -> [String] {
        guard counts.others > 0 else { return [] }
        return [
            "There are more than \(PageText.number(BatchOverview.maximumGroups)) different values: of the others, "
                + "\(PageText.count(counts.others, "receipt is", "receipts are")) not in these numbers."
        ]
    }
}

internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The page of `--report`: one file without scripts, links and images, so that it can be sent and kept.
struct ReportPage {
    let overview: BatchOverview
    let scope: ReportScope
    let now: Timestamp

    var html: HTML {
        let outcomes = CountedResults(overview, .outcomes)
        // In a period, there can be purchases without results: these are chosen by another date.
        let hasResults = outcomes.total() > 0
        let results: [PageSection?] = [
            .overTime(CountedResults(overview, .days), zone: scope.zone), .reasons(outcomes, overview.refusals),
            .products(CountedResults(overview, .products)), .storefronts(CountedResults(overview, .storefronts)),
            .environments(CountedResults(overview, .environments)), .kinds(outcomes),
        ]
        let sales: [PageSection?] =
            [
                .revenue(overview.sales), .refunds(overview.sales), .revenueByProduct(overview.sales),
                .revenueByStorefront(overview.sales),
            ] + PageSection.revenueByTime(overview.sales, zone: scope.zone)
            + [.trials(overview.sales), .noRevenue(overview.sales)]
        let others: [PageSection?] = [
            .duplicates(overview.duplicates), .signers(CountedResults(overview, .signers), now: now),
        ]
        let sections = hasResults ? results + sales + others : sales
        // A script could not run even if a text of a receipt became markup.
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>Receipts: \(Self.headline(outcomes))</title>
            <style>
            \(ReportStyle.text)</style>
            </head>
            <body>
            \(header(outcomes))<main>
            \(sections.compactMap { $0?.html })\(RefusedReceiptsList(overview, outcomes).html)</main>
            \(footer)</body>
            </html>

            """
    }

    // MARK: Header

    private static func headline(_ outcomes: CountedResults) -> String {
        let (all, verified) = (outcomes.total(), outcomes.total { $0.has(.verified) })
        switch (all, verified) {
        case (0, _): return "There are no results"
        case (1, _): return verified == 1 ? "The receipt is verified" : "The receipt is not verified"
        case (_, 0): return "None of \(PageText.number(all)) receipts is verified"
        case (_, all): return "All \(PageText.number(all)) receipts are verified"
        default: return "\(PageText.share(verified, of: all)) of \(PageText.number(all)) receipts are verified"
        }
    }

    private func header(_ outcomes: CountedResults) -> HTML {
        let choices = scope.choices.joined(separator: " ")
        let choiceLine: HTML =
            choices.isEmpty ? .empty : "<p class=\"scope\">With \(PageText.sentence(choices))</p>\n"
        let notes: [HTML] = scope.notes(overview.summary).map { "<li>\($0)</li>" }
        let noteList: HTML = notes.isEmpty ? .empty : "<ul class=\"notes\">\(notes)</ul>\n"
        let time = String("\(now)".prefix(16)).replacing("T", with: " ")
        return """
            <header>
            <h1>\(Self.headline(outcomes))</h1>
            <p class="scope">\(scope.inputText) · \(time) UTC · \
            <span class="whole-word">verify-receipt \(VerifyReceipt.version)</span></p>
            \(choiceLine)\(verdicts(outcomes))\(noteList)</header>

            """
    }

    /// The bar of all verdicts, with their numbers below it.
    private func verdicts(_ outcomes: CountedResults) -> HTML {
        let all = outcomes.total()
        guard all > 0 else { return .empty }
        let entries: [(tone: Tone, title: String, count: Int)] = [
            (.verified, "verified", outcomes.total { $0.has(.verified) && !$0.isRevoked }),
            (.revoked, "verified, revoked", outcomes.total { $0.has(.verified) && $0.isRevoked }),
            (.unverified, "unverified", outcomes.total { $0.has(.unverified) }),
            (.undecided, "undecided", outcomes.total { $0.has(.undecided) }),
        ]
        let parts = entries.map { (tone: $0.tone, ratio: Double($0.count) / Double(all)) }
        let table = DataTable(
            name: "verdicts", caption: "Verdicts",
            columns: [.text("Verdict"), .number("Receipts"), .number("Share")],
            rows: entries.map { [$0.title, PageText.number($0.count), PageText.share($0.count, of: all)] })
        let figures = entries.filter { $0.count > 0 }.map { figure($0.tone, $0.title, $0.count, of: all) }
        return """
            \(StackedBar(title: "Shares of the verdicts", parts: parts).html)\
            <ul class="figures">\(figures)</ul>
            \(table.disclosed)

            """
    }

    private func figure(_ tone: Tone, _ title: String, _ count: Int, of all: Int) -> HTML {
        """
        <li><span class="mark \(tone.rawValue)"></span><strong>\(PageText.number(count))</strong> \(title) \
        <span class="share">\(PageText.share(count, of: all))</span></li>
        """
    }

    // MARK: Footer

    private var footer: HTML {
        let commands = ReportGrouping.allCases.map {
            "<li><code>--count-by \($0.names.joined(separator: ","))</code></li>\n" as HTML
        }
        return """
            <footer>
            <h2>How to get these numbers</h2>
            <p>Receipts are counted, not purchases, except for the sums of prices, which \
            <code>--count-by currency --sum price</code> prints. The numbers are those of \
            <code>verify-receipt batch</code> with the same inputs and options, and one of these in place of \
            <code>--report</code>, or \
            <code class="whole-word">--duplicates</code>:</p>
            <ul>
            \(commands)</ul>
            </footer>

            """
    }
}

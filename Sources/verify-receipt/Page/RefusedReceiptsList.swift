internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The reasons why receipts were not verified, each with its first receipts and what to try.
struct RefusedReceiptsList {
    /// The most reasons that are explained.
    private static let maximumReasons = 12

    /// The reasons with their numbers, the most frequent first.
    private let reasons: [(total: CountedResults.Total, receipts: [RefusedReceipt])]

    init(_ overview: BatchOverview, _ outcomes: CountedResults) {
        reasons = outcomes.totals(of: "code") { !$0.has(.verified) }.prefix(Self.maximumReasons).map { total in
            (total, overview.refusals.filter { $0.failure.code.rawValue == total.value })
        }
    }

    var html: HTML {
        guard !reasons.isEmpty else { return .empty }
        return """
            <section class="wide" aria-labelledby="refused">
            <h2 id="refused">The first receipts that are not verified</h2>
            <p>The first \(String(RefusedReceipt.maximumPerCode)) of each reason, in the order of the input.</p>
            \(reasons.map { item($0.total, $0.receipts) })</section>

            """
    }

    private func item(_ total: CountedResults.Total, _ receipts: [RefusedReceipt]) -> HTML {
        guard let failure = receipts.first?.failure else { return .empty }
        return """
            <article class="reason">
            <h3><span class="mark \(Tone(failure.verdict).rawValue)"></span>\(failure.code.meaning)</h3>
            <p class="code"><code>\(failure.code.rawValue)</code> · \(PageText.count(total.count, "receipt"))</p>
            <dl>
            \(receipts.map(receipt))<div><dt>What to try</dt><dd>\(PageText.sentence(failure.hintWithRemedy))</dd></div>
            </dl>
            </article>

            """
    }

    private func receipt(_ receipt: RefusedReceipt) -> HTML {
        let item = receipt.item > 1 ? ", receipt \(receipt.item)" : ""
        let source = receipt.source == "-" ? "standard input" : PageText.shown(receipt.source)
        return """
            <div><dt><bdi>\(source)</bdi>, line \(PageText.number(receipt.line))\(item)</dt>\
            <dd>\(Self.words(receipt.failure))</dd></div>

            """
    }

    private static func words(_ failure: VerificationFailure) -> HTML {
        let roles = ["the leaf", "the intermediate", "the root"]
        let certificate = failure.certificateIndex.map { index in
            roles.indices.contains(index) ? "in certificate \(index), \(roles[index])" : "in certificate \(index)"
        }
        let parts: [HTML?] = [
            certificate.map { "<span>\($0)</span>" },
            failure.expected.map { "<span>expected <b>\(PageText.sentence($0))</b></span>" },
            failure.actual.map { "<span>found <b>\(PageText.sentence($0))</b></span>" },
        ]
        let known = parts.compactMap(\.self)
        return known.isEmpty ? "\(PageText.sentence(failure.code.meaning))" : "\(known)"
    }
}

internal import CommandLineInterface
internal import ReceiptTypes

/// The certificates that have signed receipts.
private struct ReportSigner: Hashable {
    let fingerprint: String
    let name: String
    let serialNumber: String
    let root: String
    let isBuiltIn: Bool
    let validity: ClosedRange<Timestamp>?

    /// Creates the signer of the results in a group; nil for receipts without a verified signature, and those of Google
    /// Play, which have no certificates.
    init?(_ group: CountedResults.Group) {
        guard let fingerprint = group["leafSha256"] else { return nil }
        self.fingerprint = fingerprint
        name = group["leafSubject"] ?? "(no name)"
        serialNumber = group["leafSerialNumber"] ?? ""
        root = group["anchorSubject"] ?? ""
        isBuiltIn = group["anchorBuiltIn"] == "true"
        let start = group["signerNotBefore"].flatMap(Timestamp.init(rfc3339:))
        let end = group["signerNotAfter"].flatMap(Timestamp.init(rfc3339:))
        validity = if let start, let end, start <= end { start...end } else { nil }
    }

    func state(_ now: Timestamp) -> (text: String, tone: Tone) {
        guard let validity else { return ("never valid", .unverified) }
        if now < validity.lowerBound { return ("not yet valid", .undecided) }
        return now > validity.upperBound ? ("expired", .undecided) : ("valid", .verified)
    }
}

extension PageSection {
    private static let maximumSigners = 12

    /// - Parameter now: The time at which a certificate is valid or has expired.
    static func signers(_ counts: CountedResults, now: Timestamp) -> PageSection? {
        var totals: [ReportSigner: (verified: Int, others: Int)] = [:]
        for group in counts.groups {
            guard let signer = ReportSigner(group) else { continue }
            if group.has(.verified) {
                totals[signer, default: (0, 0)].verified += group.count
            } else {
                totals[signer, default: (0, 0)].others += group.count
            }
        }
        let signers = totals.sorted { left, right in
            let (leftCount, rightCount) = (
                left.value.verified + left.value.others, right.value.verified + right.value.others
            )
            return leftCount != rightCount ? leftCount > rightCount : left.key.fingerprint < right.key.fingerprint
        }
        guard !signers.isEmpty else { return nil }
        let shown = signers.prefix(maximumSigners)
        var section = PageSection(id: "signers", title: "Signers")
        section.isWide = true
        section.legend = Tone.legend([(.verified, "valid now"), (.undecided, "expired, or not yet valid")])
        section.chart =
            SpanChart(
                title: "The time in which the certificates of each signer are valid",
                spans: shown.compactMap { signer, _ in
                    signer.validity.map { validity in
                        SpanChart.Span(
                            label: signer.name, value: text(of: validity),
                            tone: signer.state(now).tone, range: validity)
                    }
                }, now: now
            ).html
        section.notes =
            [
                "A receipt verifies at the time at which it was signed, also after the certificate has expired. Google "
                    + "Play signs without certificates."
            ] + (signers.count > shown.count ? ["The first \(shown.count) of \(PageText.number(signers.count))."] : [])
            + beyond(counts)
        section.table = DataTable(
            name: "signers", caption: "Signers with the validity of their certificates",
            columns: [
                .text("Signer"), .text("SHA-256"), .text("Serial number"), .text("Root"), .text("Valid"),
                .text("Now"), .number("Verified"), .number("Not verified"),
            ],
            rows: shown.map { signer, total in
                [
                    signer.name, signer.fingerprint, signer.serialNumber,
                    signer.root + (signer.isBuiltIn ? " (built in)" : " (given)"),
                    signer.validity.map(text(of:)) ?? "-", signer.state(now).text,
                    PageText.number(total.verified), PageText.number(total.others),
                ]
            })
        return section
    }

    private static func text(of validity: ClosedRange<Timestamp>) -> String {
        "\(day(validity.lowerBound)) to \(day(validity.upperBound))"
    }

    private static func day(_ time: Timestamp) -> String { String("\(time)".prefix(10)) }
}

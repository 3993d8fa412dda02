internal import CommandLineInterface
internal import ReceiptResults
internal import ReceiptTypes
internal import ReceiptVerification

/// The text output of `verify`: the verdict, and the contents of the receipt or the reason of the failure.
struct SummaryText {
    let style: TerminalStyle
    let now: Timestamp

    private static let labelWidth = 18

    func lines(for report: ReceiptReport, title: String?) -> [Escaped] {
        let lead: Escaped = title.map { "\($0): " } ?? ""
        guard let kind = report.kind, let payload = report.payload, report.failure == nil else {
            return failureLines(report, lead: lead)
        }
        var words: Escaped = "\(kind.title), "
        if kind == .playPurchase {
            words += "signed with the app's key"
        } else {
            words += report.anchor.map(Self.signature) ?? "signed under a trusted root"
        }
        var lines: [Escaped] = ["\(lead)\(style.verdict(.verified)): \(words)", ""]
        lines += fieldLines(source(kind, payload, report), report, indent: 2)
        if kind == .appReceipt { lines += purchaseLines(AppReceipt(members: payload)) }
        for nested in report.nested { lines += nestedLines(nested) }
        if let anchor = report.anchor, let leaf = report.leaf {
            lines += [
                "", line(anchor.isBuiltIn ? "root" : "given root", "SHA-256 \(anchor.fingerprint)", indent: 2),
                line("signed by", "serial \(leaf.serialNumber), SHA-256 \(leaf.fingerprint)", indent: 2),
            ]
        }
        if !report.uncheckedClaims.isEmpty {
            let claims = report.uncheckedClaims.map { Self.unchecked($0, isMissing: report.missingClaims.contains($0)) }
            lines += ["", line("not checked", claims.joined(separator: ", "), indent: 2)]
        }
        return lines
    }

    // MARK: Verified

    /// Returns the words for the root of a receipt's chain.
    ///
    /// A given root can bear the name of Apple's, so the words say where the root comes from.
    static func signature(under anchor: ReceiptReport.Anchor) -> Escaped {
        anchor.isBuiltIn
            ? "signed under \(Escaped(anchor.subject)), which is built in"
            : "signed under the given root \(Escaped(anchor.subject).quoted)"
    }

    /// Returns the name of an unchecked claim, with the reason or the flag that requires it.
    private static func unchecked(_ claim: String, isMissing: Bool) -> String {
        guard isMissing, PolicyWarning.flagsByClaim[claim] != nil else { return PolicyWarning.words(claim) }
        return "\(ResultWarning.words(claim)) (not in the receipt)"
    }

    private func fieldLines(_ source: SummaryField.Source, _ report: ReceiptReport, indent: Int) -> [Escaped] {
        let fields = SummaryField.fields(of: source.kind)
        let lines = fields.flatMap { field in
            field.texts(in: source).enumerated().map { line($0 == 0 ? field.label : "", $1, indent: indent) }
        }
        // The receipts inside, and the purchases of an app receipt, have lines of their own.
        let inside = report.nested.flatMap { [["data", $0.name], ["appData", $0.name]] } + [["inApp"]]
        let others = source.payload.paths(except: Set(fields.flatMap(\.paths) + inside))
        guard !others.isEmpty else { return lines }
        return lines + [line("also in --json", SummaryField.listText(others), indent: indent)]
    }

    /// The most in-app purchases that are listed; `--json` has all.
    private static let listedPurchases = 10

    /// Returns a line for each in-app purchase of an app receipt, the latest first.
    private func purchaseLines(_ receipt: AppReceipt) -> [Escaped] {
        let purchases = receipt.inApp ?? []
        var lines = [line("in-app purchases", GroupedNumber(purchases.count).description, indent: 2)]
        let latest = purchases.sorted { ($0.purchaseDate ?? .minimum) > ($1.purchaseDate ?? .minimum) }
        for purchase in latest.prefix(Self.listedPurchases) {
            var words = [purchase.productId ?? "no product"]
            if let date = purchase.purchaseDate { words.append("purchased \(date)") }
            if let date = purchase.expiresDate { words.append("expires \(date)\(date < now ? " (in the past)" : "")") }
            if let date = purchase.cancellationDate { words.append("refunded \(date): do not grant access") }
            lines.append(line(purchase.transactionId ?? "no transaction", words.joined(separator: ", "), indent: 4))
        }
        let rest = purchases.count - Self.listedPurchases
        if rest > 0 { lines.append(line("", "and \(GroupedNumber(rest)) earlier ones, in --json", indent: 4)) }
        return lines
    }

    private func source(
        _ kind: ReceiptKind, _ payload: JSONObject, _ report: ReceiptReport
    ) -> SummaryField.Source {
        SummaryField.Source(kind: kind, payload: payload, environment: report.environment, now: now)
    }

    private func nestedLines(_ nested: ReceiptReport.NestedReport) -> [Escaped] {
        let report = nested.report
        guard let kind = report.kind, let payload = report.payload else {
            let code: Escaped = report.failure.map { ": \($0.code)" } ?? ""
            return ["", "  \(nested.name): \(style.verdict(report.verdict))\(code)"]
        }
        return ["", "  \(nested.name): \(style.verdict(.verified)): \(kind.title)"]
            + fieldLines(source(kind, payload, report), report, indent: 4)
    }

    // MARK: Not verified

    private func failureLines(_ report: ReceiptReport, lead: Escaped) -> [Escaped] {
        guard let failure = report.failure else { return ["\(lead)\(style.verdict(report.verdict))"] }
        return ["\(lead)\(style.verdict(report.verdict)): \(failure.code)", ""] + reasons(failure)
            + report.nested.filter { $0.report.verdict != .verified }.flatMap(nestedLines)
    }

    /// Returns the lines that say what a failure means and what to try.
    func reasons(_ failure: VerificationFailure) -> [Escaped] {
        var lines = [line("what it means", failure.code.meaning, indent: 2)]
        if let index = failure.certificateIndex {
            lines.append(line("certificate", Self.name(ofCertificate: index), indent: 2))
        }
        if let expected = failure.expected { lines.append(line("expected", expected, indent: 2)) }
        if let actual = failure.actual { lines.append(line("found", actual, indent: 2)) }
        lines.append(line("what to try", failure.hintWithRemedy, indent: 2))
        return lines + identifierLines(failure)
    }

    /// The most identifiers that are listed; `--json` has all.
    private static let listedIdentifiers = 10

    /// Returns a line for each identifier that was found in an input without a receipt.
    private func identifierLines(_ failure: VerificationFailure) -> [Escaped] {
        let all = failure.identifiers
        var lines = all.prefix(Self.listedIdentifiers).enumerated().map { index, identifier in
            let lookup = identifier.kind.lookup == failure.hint ? "" : "; \(identifier.kind.lookup)"
            return line(
                index == 0 ? "identifiers" : "", "\(identifier.value): \(identifier.kind.name)\(lookup)", indent: 2)
        }
        let rest = all.count - Self.listedIdentifiers
        if rest > 0 { lines.append(line("", "and \(GroupedNumber(rest)) more, in --json", indent: 2)) }
        return lines
    }

    /// Returns the position of a certificate in the chain and its role.
    private static func name(ofCertificate index: Int) -> String {
        switch index {
        case 0: "0, the leaf"
        case 1: "1, the intermediate"
        case 2: "2, the root"
        default: "\(index)"
        }
    }

    private func line(_ label: String, _ text: String, indent: Int) -> Escaped {
        "\(Escaped.spaces(indent))\(style.dim((Escaped(label) + " ").padded(to: Self.labelWidth)))\(text)"
    }
}

extension JSONObject {
    /// Returns the names of the members that no path leads to, those of objects with a dot; null is no value.
    fileprivate func paths(except shown: Set<[String]>) -> [String] {
        members.filter { $0.value != .null && !shown.contains([$0.name]) }.flatMap { member -> [String] in
            let inner = shown.filter { $0.count > 1 && $0.first == member.name }
            guard !inner.isEmpty, let object = member.value.object else { return [member.name] }
            return object.paths(except: Set(inner.map { [String]($0.dropFirst()) })).map { "\(member.name).\($0)" }
        }
    }
}

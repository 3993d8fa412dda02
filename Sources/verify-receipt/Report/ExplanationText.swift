internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The text output of `explain`: every check of a verification, step by step.
struct ExplanationText {
    let style: TerminalStyle

    private static let checkWidth = 32

    func lines(for report: ReceiptReport, _ facts: ReceiptFacts, title: String?) -> [Escaped] {
        let lead: Escaped = title.map { "\($0): " } ?? ""
        let code: Escaped = report.failure.map { ": \($0.code)" } ?? report.kind.map { ": \($0.title)" } ?? ""
        var lines: [Escaped] = ["\(lead)\(style.verdict(report.verdict))\(code)"]
        lines += steps(report.trace, indent: "")
        for nested in report.nested {
            let code: Escaped = nested.report.failure.map { ": \($0.code)" } ?? ""
            lines += ["", "  \(style.bold("\(nested.name)")): \(style.verdict(nested.report.verdict))\(code)"]
            lines += steps(nested.report.trace, indent: "  ")
        }
        lines += facts.lines(style)
        if let anchor = report.anchor, let leaf = report.leaf {
            let origin = anchor.isBuiltIn ? "built in" : "given"
            lines += [
                "", "Root: \(Escaped(anchor.subject).quoted) (\(origin)), SHA-256 \(anchor.fingerprint)",
                "Leaf: serial \(Escaped(leaf.serialNumber)), SHA-256 \(leaf.fingerprint)",
            ]
        }
        if !report.uncheckedClaims.isEmpty {
            lines += ["", "Not checked: \(Escaped(report.uncheckedClaims.joined(separator: ", ")))"]
        }
        if let failure = report.failure {
            lines += ["", "What it means: \(failure.code.meaning)"]
            lines += ["What to try:   \(Escaped(failure.hintWithRemedy))"]
            lines += failure.identifiers.map { "Identifier:    \(Escaped($0.value)), \($0.kind.name)" }
        }
        return lines
    }

    private func steps(_ trace: VerificationTrace, indent: Escaped) -> [Escaped] {
        var lines: [Escaped] = []
        var step: VerificationStep?
        for event in trace.events {
            if event.step != step {
                lines += ["", indent + style.bold("\(event.step.title)")]
                step = event.step
            }
            lines += check(event).map { indent + "  " + $0 }
        }
        return lines
    }

    private func check(_ event: VerificationTrace.Event) -> [Escaped] {
        let name = (event.certificateIndex.map { "x5c[\($0)] " } ?? "") + event.check
        let padded = (Escaped(name) + "  ").padded(to: Self.checkWidth)
        let margin = Escaped.spaces(6)
        switch event.outcome {
        case .passed:
            return [("\(style.success("pass"))  \(padded)\(event.actual ?? event.note ?? "")" as Escaped).trimmed]
        case .skipped:
            return [("\(style.dim("skip"))  \(padded)\(event.note ?? event.actual ?? "")" as Escaped).trimmed]
        case .failed:
            var lines = [("\(style.failure("FAIL"))  \(padded)\(event.code.map(\.rawValue) ?? "")" as Escaped).trimmed]
            if let expected = event.expected { lines.append("\(margin)expected  \(expected)") }
            if let actual = event.actual { lines.append("\(margin)found     \(actual)") }
            if let note = event.note { lines.append("\(margin)note      \(note)") }
            return lines
        }
    }
}

internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The text output of `explain`: every check of a verification, step by step.
struct ExplanationText {
    let style: TerminalStyle

    private static let checkWidth = 32

    func lines(for report: ReceiptReport, _ facts: ReceiptFacts, title: String?) -> [String] {
        let lead = title.map { "\(Escaped($0)): " } ?? ""
        let code = report.failure.map { ": \($0.code)" } ?? report.kind.map { ": \($0.title)" } ?? ""
        var lines = ["\(lead)\(style.verdict(report.verdict))\(code)"]
        lines += steps(report.trace, indent: "")
        for nested in report.nested {
            let code = nested.report.failure.map { ": \($0.code)" } ?? ""
            lines += ["", "  \(style.bold(nested.name)): \(style.verdict(nested.report.verdict))\(code)"]
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
        }
        return lines
    }

    private func steps(_ trace: VerificationTrace, indent: String) -> [String] {
        var lines: [String] = []
        var step: VerificationStep?
        for event in trace.events {
            if event.step != step {
                lines += ["", indent + style.bold(event.step.title)]
                step = event.step
            }
            lines += check(event).map { indent + "  " + $0 }
        }
        return lines
    }

    private func check(_ event: VerificationTrace.Event) -> [String] {
        let name = (event.certificateIndex.map { "x5c[\($0)] " } ?? "") + event.check
        let padded = name + String(repeating: " ", count: max(2, Self.checkWidth - name.count))
        let margin = String(repeating: " ", count: 6)
        switch event.outcome {
        case .passed:
            return ["\(style.success("pass"))  \(padded)\(Escaped(event.actual ?? event.note ?? ""))".trimmed]
        case .skipped:
            return ["\(style.dim("skip"))  \(padded)\(Escaped(event.note ?? event.actual ?? ""))".trimmed]
        case .failed:
            var lines = ["\(style.failure("FAIL"))  \(padded)\(event.code.map(\.rawValue) ?? "")".trimmed]
            if let expected = event.expected { lines.append("\(margin)expected  \(Escaped(expected))") }
            if let actual = event.actual { lines.append("\(margin)found     \(Escaped(actual))") }
            if let note = event.note { lines.append("\(margin)note      \(Escaped(note))") }
            return lines
        }
    }
}

extension String {
    /// The string without trailing spaces.
    fileprivate var trimmed: String {
        var text = Substring(self)
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

internal import ReceiptTypes

/// Colours for a terminal, or none.
struct Style: Sendable {
    let isColored: Bool

    /// Decides by `--color`, then NO_COLOR (no-color.org), TERM and whether a terminal reads.
    init(_ arguments: Arguments, isTerminal: Bool, environment: (String) -> String?) {
        switch arguments.value(of: .color)?.lowercased() {
        case "always": isColored = true
        case "never": isColored = false
        default: isColored = isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
        }
    }

    func good(_ text: String) -> String { paint(text, "1;32") }
    func bad(_ text: String) -> String { paint(text, "1;31") }
    func doubtful(_ text: String) -> String { paint(text, "1;33") }
    func strong(_ text: String) -> String { paint(text, "1") }
    func weak(_ text: String) -> String { paint(text, "2") }

    func verdict(_ verdict: Verdict) -> String {
        switch verdict {
        case .verified: good(verdict.rawValue)
        case .unverified: bad(verdict.rawValue)
        case .undecided: doubtful(verdict.rawValue)
        }
    }

    private func paint(_ text: String, _ code: String) -> String {
        isColored ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}

/// Colours for a terminal, or none.
package struct Style: Sendable {
    package let isColored: Bool

    /// Decides by the value of `--color`, then NO_COLOR (no-color.org), TERM and whether a terminal reads.
    package init(_ color: String?, isTerminal: Bool, environment: (String) -> String?) {
        switch color?.lowercased() {
        case "always": isColored = true
        case "never": isColored = false
        default: isColored = isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
        }
    }

    package func good(_ text: String) -> String { paint(text, "1;32") }
    package func bad(_ text: String) -> String { paint(text, "1;31") }
    package func doubtful(_ text: String) -> String { paint(text, "1;33") }
    package func strong(_ text: String) -> String { paint(text, "1") }
    package func weak(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        isColored ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}

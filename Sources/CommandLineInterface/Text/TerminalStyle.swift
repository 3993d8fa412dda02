/// The colors of text output.
package struct TerminalStyle: Sendable {
    /// Whether text is colored at all.
    package let isColored: Bool

    /// Decides whether to use color, from the value of `--color`, then NO_COLOR (no-color.org), TERM and the output.
    package init(_ choice: String?, isTerminal: Bool, environment: (String) -> String?) {
        switch choice?.lowercased() {
        case "always": isColored = true
        case "never": isColored = false
        default: isColored = isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
        }
    }

    package func success(_ text: Escaped) -> Escaped { colored(text, "1;32") }
    package func failure(_ text: Escaped) -> Escaped { colored(text, "1;31") }
    package func warning(_ text: Escaped) -> Escaped { colored(text, "1;33") }
    package func bold(_ text: Escaped) -> Escaped { colored(text, "1") }
    package func dim(_ text: Escaped) -> Escaped { colored(text, "2") }

    private func colored(_ text: Escaped, _ code: StaticString) -> Escaped {
        isColored ? text.colored(code) : text
    }
}

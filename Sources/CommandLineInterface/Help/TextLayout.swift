/// Lays out help in lines of at most a number of columns.
struct TextLayout {
    /// The width of what is no terminal.
    static let usualWidth = 80
    /// Longer lines are hard to read, and shorter ones have no room for words.
    static let terminalWidths = 40...100
    /// Below this width, descriptions stand under what they describe.
    private static let leastWidthOfColumns = 60

    let width: Int

    /// - Parameter terminalWidth: The number of columns of the terminal; nil if there is none.
    init(terminalWidth: Int?) {
        width =
            terminalWidth.map { min(max($0, Self.terminalWidths.lowerBound), Self.terminalWidths.upperBound) }
            ?? Self.usualWidth
    }

    /// Wraps a paragraph into indented lines.
    func wrap(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(margin + line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        lines.append(margin + line)
        return lines.joined(separator: "\n")
    }

    /// Lays out rows in two columns, with the second starting at `gap`; a long left side has a line of its own.
    func columns(_ rows: [(left: String, right: String)], indent: Int = 2, gap: Int) -> String {
        let gap = width < Self.leastWidthOfColumns ? min(gap, 3 * indent) : gap
        return rows.map { left, right in
            let lines = wrap(right, indent: gap)
            let start = String(repeating: " ", count: indent) + left
            guard start.count + 2 <= gap else { return start + "\n" + lines }
            return start + String(repeating: " ", count: gap - start.count) + lines.dropFirst(gap)
        }.joined(separator: "\n")
    }
}

/// Lays out help for a terminal of 80 columns.
enum TextLayout {
    static let width = 80

    /// Wraps a paragraph into indented lines.
    static func wrap(_ text: String, indent: Int) -> String {
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
    static func columns(_ rows: [(left: String, right: String)], indent: Int = 2, gap: Int) -> String {
        rows.map { left, right in
            let lines = wrap(right, indent: gap)
            let start = String(repeating: " ", count: indent) + left
            guard start.count + 2 <= gap else { return start + "\n" + lines }
            return start + String(repeating: " ", count: gap - start.count) + lines.dropFirst(gap)
        }.joined(separator: "\n")
    }
}

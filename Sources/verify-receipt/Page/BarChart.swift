internal import CommandLineInterface

/// A chart of horizontal bars, each under its label and its value.
///
/// Widths are percentages and heights are pixels, so that text has the same size on each screen.
struct BarChart {
    struct Bar {
        let label: String
        let value: String
        /// The parts of the bar from left to right, as parts of the full width.
        let parts: [(tone: Tone, ratio: Double)]
    }

    /// What the chart shows, for readers that do not see it.
    let title: String
    let bars: [Bar]

    private static let rowHeight = 42
    private static let barHeight = 10
    /// The width of a bar that would be too small to be seen.
    private static let smallestRatio = 0.004

    var html: HTML {
        """
        <svg class="bars" role="img" aria-label="\(title)" width="100%" height="\(String(bars.count * Self.rowHeight))">
        \(bars.enumerated().map { row($1, top: $0 * Self.rowHeight) })</svg>

        """
    }

    private func row(_ bar: Bar, top: Int) -> HTML {
        let (text, y, height) = (String(top + 15), String(top + 23), String(Self.barHeight))
        return """
            <text x="0" y="\(text)"><title>\(PageText.shown(bar.label))</title>\(PageText.label(bar.label))</text>\
            <text class="value" x="100%" y="\(text)">\(bar.value)</text>\
            <rect class="track" y="\(y)" width="100%" height="\(height)" rx="2"/>\(marks(bar, y, height))

            """
    }

    private func marks(_ bar: Bar, _ y: String, _ height: String) -> [HTML] {
        let parts = bar.parts.filter { $0.ratio > 0 }
        // Round ends between two parts would look like a gap.
        let corner: HTML = parts.count == 1 ? " rx=\"2\"" : .empty
        var start = 0.0
        return parts.map { part in
            let width = max(part.ratio, Self.smallestRatio)
            let x = min(start, 1 - width)
            start += width
            return """
                <rect class="\(part.tone.rawValue)" x="\(PageText.length(x))" y="\(y)" \
                width="\(PageText.length(width))" height="\(height)"\(corner)/>
                """
        }
    }
}

internal import CommandLineInterface

/// One bar as wide as the page, whose parts are shares of a whole.
struct StackedBar {
    /// What the bar shows, for readers that do not see it.
    let title: String
    let parts: [(tone: Tone, ratio: Double)]

    /// The width of a part that would be too small to be seen.
    private static let smallestRatio = 0.004

    var html: HTML {
        """
        <svg class="whole" role="img" aria-label="\(title)" width="100%" height="28">\(marks)</svg>

        """
    }

    private var marks: [HTML] {
        let shown = parts.filter { $0.ratio > 0 }.map { (tone: $0.tone, ratio: max($0.ratio, Self.smallestRatio)) }
        let sum = shown.reduce(0) { $0 + $1.ratio }
        var start = 0.0
        return shown.map { part in
            defer { start += part.ratio / sum }
            return """
                <rect class="\(part.tone.rawValue)" x="\(PageText.length(start))" \
                width="\(PageText.length(part.ratio / sum))" height="28"/>
                """
        }
    }
}

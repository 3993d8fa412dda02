internal import CommandLineInterface
internal import ReceiptTypes

/// A chart of spans of time, with a mark at the present across each span.
struct SpanChart {
    struct Span {
        let label: String
        let value: String
        let tone: Tone
        let range: ClosedRange<Timestamp>
    }

    /// What the chart shows, for readers that do not see it.
    let title: String
    let spans: [Span]
    let now: Timestamp

    private static let rowHeight = 42
    private static let smallestRatio = 0.006

    var html: HTML {
        let height = spans.count * Self.rowHeight
        return """
            <svg class="spans" role="img" aria-label="\(title)" width="100%" height="\(String(height + 22))">
            \(spans.enumerated().map { row($1, top: $0 * Self.rowHeight) })\(legend(height))</svg>

            """
    }

    private var start: Timestamp { min(spans.map(\.range.lowerBound).min() ?? now, now) }
    private var end: Timestamp { max(spans.map(\.range.upperBound).max() ?? now, now) }

    private func ratio(of time: Timestamp) -> Double {
        let whole = Double(end.millisecondsSince1970) - Double(start.millisecondsSince1970)
        guard whole > 0 else { return 0 }
        return (Double(time.millisecondsSince1970) - Double(start.millisecondsSince1970)) / whole
    }

    private func row(_ span: Span, top: Int) -> HTML {
        let first = min(ratio(of: span.range.lowerBound), 1 - Self.smallestRatio)
        let width = max(ratio(of: span.range.upperBound) - first, Self.smallestRatio)
        let (text, y) = (String(top + 15), String(top + 23))
        return """
            <text x="0" y="\(text)"><title>\(PageText.shown(span.label))</title>\(PageText.label(span.label))</text>\
            <text class="value" x="100%" y="\(text)">\(span.value)</text>\
            <rect class="track" y="\(y)" width="100%" height="10" rx="2"/>\
            <rect class="\(span.tone.rawValue)" x="\(PageText.length(first))" y="\(y)" \
            width="\(PageText.length(width))" height="10" rx="2"/>\
            <line class="now" x1="\(present)" x2="\(present)" y1="\(String(top + 20))" y2="\(String(top + 36))"/>

            """
    }

    private var present: String { PageText.length(ratio(of: now)) }

    private func legend(_ height: Int) -> HTML {
        let ratio = ratio(of: now)
        let anchor = ratio < 0.2 ? "start" : ratio > 0.8 ? "end" : "middle"
        return """
            <text x="\(present)" y="\(String(height + 12))" text-anchor="\(anchor)">this report</text>

            """
    }
}

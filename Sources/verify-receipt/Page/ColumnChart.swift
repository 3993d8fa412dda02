internal import CommandLineInterface

/// A chart of columns over time, each of which has parts on top of each other.
struct ColumnChart {
    struct Column {
        let label: String
        /// What a pointer on the column shows.
        let note: String
        /// The parts from the bottom to the top.
        let parts: [(tone: Tone, count: Int)]

        var count: Int { parts.reduce(0) { $0 + $1.count } }
    }

    /// What the chart shows, for readers that do not see it.
    let title: String
    let columns: [Column]

    private static let top = 18
    private static let bottom = 198
    private static let height = 222
    /// The length of labels of which four fit a phone, and of longer ones three.
    private static let shortLabel = 8
    /// The part of a column's room that it fills.
    private static let filling = 0.82

    var html: HTML {
        """
        <svg class="columns" role="img" aria-label="\(title)" width="100%" height="\(String(Self.height))">
        \(lines)\(columns.enumerated().map { column($1, at: $0) })\(labels)</svg>

        """
    }

    /// The value at the top of the chart: the smallest one of a round digit and zeros that is not exceeded.
    private var maximum: Int {
        let largest = columns.map(\.count).max() ?? 0
        var unit = 1
        while true {
            for step in [1, 2, 3, 4, 5, 6, 8] where unit * step >= largest { return unit * step }
            unit *= 10
        }
    }

    private var lines: [HTML] {
        let values = maximum.isMultiple(of: 2) ? [0, maximum / 2, maximum] : [0, maximum]
        return values.map { value in
            let height = y(of: value)
            let (line, text) = (String(height), String(height - 4))
            let label: HTML = value == 0 ? .empty : "<text x=\"0\" y=\"\(text)\">\(PageText.number(value))</text>"
            return "<line x1=\"0\" x2=\"100%\" y1=\"\(line)\" y2=\"\(line)\"/>\(label)\n"
        }
    }

    private func y(of value: Int) -> Int {
        Self.bottom - Int((Double(value) / Double(maximum) * Double(Self.bottom - Self.top)).rounded())
    }

    private func column(_ column: Column, at index: Int) -> HTML {
        guard column.count > 0 else { return .empty }
        let room = 1 / Double(max(columns.count, 1))
        let width = room * Self.filling
        let x = PageText.length(Double(index) * room + (room - width) / 2)
        var below = 0
        let marks = column.parts.filter { $0.count > 0 }.map { part -> HTML in
            let start = y(of: below)
            below += part.count
            // What is there can be seen.
            let height = max(start - y(of: below), 2)
            return """
                <rect class="\(part.tone.rawValue)" x="\(x)" y="\(String(start - height))" \
                width="\(PageText.length(width))" height="\(String(height))"/>
                """
        }
        return "<g><title>\(column.note)</title>\(marks)</g>\n"
    }

    /// The labels of some columns, of which the first and the last are among them.
    private var labels: [HTML] {
        let last = columns.count - 1
        let count = columns.contains { $0.label.count > Self.shortLabel } ? 3 : 4
        let places = Set((0..<count).map { $0 * max(last, 0) / (count - 1) }).sorted()
        let room = 1 / Double(max(columns.count, 1))
        return places.filter(columns.indices.contains).map { index in
            let (x, anchor): (Double, String) =
                switch index {
                case _ where columns.count == 1: (0.5, "middle")
                case 0: (0, "start")
                case last: (1, "end")
                default: ((Double(index) + 0.5) * room, "middle")
                }
            return """
                <text x="\(PageText.length(x))" y="\(String(Self.bottom + 18))" text-anchor="\(anchor)">\
                \(columns[index].label)</text>

                """
        }
    }
}

internal import CommandLineInterface

/// A table of the page, with the numbers of a chart for reading them exactly.
struct DataTable {
    struct Column {
        let title: String
        let isNumber: Bool

        static func text(_ title: String) -> Column { Column(title: title, isNumber: false) }
        static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
    }

    /// The name by which a program finds the table.
    let name: String
    let caption: String
    let columns: [Column]
    /// The cells of each row; the first one names the row.
    let rows: [[String]]

    /// The table, which opens under its chart.
    var disclosed: HTML {
        """
        <details><summary>Table: \(caption)</summary>\(html)</details>
        """
    }

    var html: HTML {
        let headings = columns.map {
            "<th scope=\"col\"\($0.isNumber ? Self.numeric : .empty)>\($0.title)</th>" as HTML
        }
        return """
            <div class="scroll" role="region" aria-label="\(caption)" tabindex="0"><table data-name="\(name)">
            <caption>\(caption)</caption>
            <thead><tr>\(headings)</tr></thead>
            <tbody>
            \(rows.map(row))</tbody></table></div>
            """
    }

    private static let numeric: HTML = " class=\"n\""

    private func row(_ cells: [String]) -> HTML {
        let parts = zip(columns, cells).enumerated().map { index, cell -> HTML in
            let text = PageText.shown(cell.1)
            if index == 0 { return "<th scope=\"row\"><bdi>\(text)</bdi></th>" }
            return cell.0.isNumber ? "<td class=\"n\">\(text)</td>" : "<td><bdi>\(text)</bdi></td>"
        }
        return "<tr>\(parts)</tr>\n"
    }
}

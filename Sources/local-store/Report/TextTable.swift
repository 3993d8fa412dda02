internal import CommandLineInterface

/// Lines in columns, for people.
struct TextTable {
    private var rows: [[String]] = []

    /// Adds a line; whatever it says is made harmless for a terminal.
    mutating func add(_ cells: [String]) {
        rows.append(cells.map { Escaped($0).description })
    }

    /// The lines, with two blanks between columns and none at the end.
    var lines: [String] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            var line = ""
            var blanks = 0
            for (column, cell) in row.enumerated() {
                if !cell.isEmpty {
                    line += String(repeating: " ", count: blanks) + cell
                    blanks = 0
                }
                blanks += widths[column] - cell.count + 2
            }
            return line
        }
    }
}

/// A table of text in aligned columns.
package struct TextTable {
    private var rows: [[Escaped]] = []

    /// Creates an empty table.
    package init() {}

    /// Adds a row; its cells are escaped.
    package mutating func add(_ cells: [String]) {
        rows.append(cells.map { Escaped($0) })
    }

    /// Writes the rows; an empty table has no line.
    package func write(to output: Output) throws(Output.Failure) {
        for line in lines { try output.writeLine(line) }
    }

    /// The lines, with two spaces between columns and no trailing spaces.
    private var lines: [Escaped] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            var line: Escaped = ""
            var spaces = 0
            for (column, cell) in row.enumerated() {
                if !cell.isEmpty {
                    line += .spaces(spaces) + cell
                    spaces = 0
                }
                spaces += widths[column] - cell.count + 2
            }
            return line
        }
    }
}

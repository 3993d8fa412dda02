import Foundation

/// The tables of a page of `--report`, read from its markup.
struct ReportTables {
    /// The rows of each table by its name, with the text of each cell.
    let rows: [String: [[String]]]

    init(_ page: String) {
        var rows: [String: [[String]]] = [:]
        for part in page.components(separatedBy: "<table data-name=\"").dropFirst() {
            guard let end = part.range(of: "</table>"), let quote = part.firstIndex(of: "\"") else { continue }
            let body = part[..<end.lowerBound].components(separatedBy: "<tbody>").last ?? ""
            rows[String(part[..<quote])] = body.components(separatedBy: "<tr>").dropFirst().map(Self.cells)
        }
        self.rows = rows
    }

    private static func cells(of row: String) -> [String] {
        row.matches(of: /<t[hd][^>]*>(.*?)<\/t[hd]>/).map { match in
            var text = String(match.1).replacing(/<[^>]*>/, with: "")
            for (entity, character) in [
                ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
            ] {
                text = text.replacingOccurrences(of: entity, with: character)
            }
            return text
        }
    }

    /// Returns the number in one column of a table by the first cell, or by several cells with blanks between them.
    func numbers(_ table: String, _ column: Int, by keys: [Int] = [0]) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for row in rows[table] ?? [] {
            guard row.indices.contains(column) else { continue }
            let key = keys.map { row[$0] }.joined(separator: " ")
            numbers[key] = Int(row[column].replacingOccurrences(of: ",", with: ""))
        }
        return numbers
    }
}

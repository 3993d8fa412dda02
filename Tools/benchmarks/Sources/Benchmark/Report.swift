import Foundation

/// The figures of a run as a table and as JSON.
struct Report: Codable {
    var schema = "receipt-bench-1"
    var figures: [Figure]

    /// The table, with the figures of an earlier run beside it.
    func table(comparedWith earlier: Report?) -> String {
        var rows = [
            ["figure", "median", "range", earlier == nil ? "" : "before", earlier == nil ? "" : "change", "what"]
        ]
        for figure in figures {
            let before = earlier?.figures.first { $0.name == figure.name }
            rows.append([
                figure.name, Self.text(figure.median), "\(Self.text(figure.lowest))..\(Self.text(figure.highest))",
                before.map { Self.text($0.median) } ?? "",
                before.map { Self.percent(figure.median / $0.median - 1) } ?? "", figure.explanation,
            ])
        }
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = (0..<5).filter { widths[$0] > 0 }.map { column in
                row[column].padding(toLength: widths[column], withPad: " ", startingAt: 0)
            }
            return (cells + [row[5]]).joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// What is worse than it may be.
    func shortfalls(against stored: [String: StoredFigure]) -> [String] {
        figures.compactMap { figure in
            guard let expected = stored[figure.name], !expected.accepts(figure) else { return nil }
            return "\(figure.name): \(Self.text(figure.median)), where \(Self.text(expected.median)) is stored with a "
                + "tolerance of \(Self.percent(expected.tolerance))"
        }
    }

    static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(value) + Data("\n".utf8)
    }

    private static func text(_ number: Double) -> String { String(format: number < 10 ? "%.2f" : "%.1f", number) }
    private static func percent(_ part: Double) -> String { String(format: "%+.0f %%", part * 100) }
}

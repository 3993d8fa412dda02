import Foundation

/// The figures of a run as a table and as JSON. There is no time in it: only ratios hold on another machine.
struct Report: Codable {
    var schema = Report.currentSchema
    var rounds: Int
    var threads: Int
    var isQuick: Bool
    var sizes: ReceiptSizes
    var figures: [Figure] = []

    private static let currentSchema = "receipt-bench-1"

    init(_ options: Options, sizes: ReceiptSizes) {
        rounds = options.rounds
        threads = options.threads
        isQuick = options.isQuick
        self.sizes = sizes
    }

    /// Reads what an earlier run has written.
    static func read(from path: String) throws -> Report {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw Failure("cannot read \(path)") }
        guard let report = try? JSONDecoder().decode(Report.self, from: data), report.schema == currentSchema else {
            throw Failure("\(path) is not what --json writes")
        }
        return report
    }

    /// The table, with the figures of an earlier run beside it.
    func table(comparedWith earlier: Report?) -> String {
        let titles = earlier == nil ? [] : ["before", "change"]
        var rows = [["figure", "median", "range", "processor"] + titles + ["what"]]
        for figure in figures {
            var row = [
                figure.name, Text.number(figure.median),
                "\(Text.number(figure.lowest))..\(Text.number(figure.highest))",
                figure.medianByProcessor.map(Text.number) ?? "-",
            ]
            if let earlier {
                let before = earlier.figures.first { $0.name == figure.name }
                row += [
                    before.map { Text.number($0.median) } ?? "-",
                    before.map { Text.change(figure.median / $0.median - 1) } ?? "-",
                ]
            }
            rows.append(row + [figure.explanation])
        }
        let widths = rows[0].indices.dropLast().map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            return (cells + row.suffix(1)).joined(separator: "  ")
        }
        return "\(sizes)\n\n\(lines.joined(separator: "\n"))"
    }
}

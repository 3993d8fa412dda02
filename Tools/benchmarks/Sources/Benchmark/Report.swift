import Foundation

/// The figures of a run, as a table and as JSON. It has no absolute times, because only ratios apply to other machines.
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

    /// Reads the JSON of an earlier run.
    static func read(from path: String) throws -> Report {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw Failure("cannot read \(path)") }
        guard let report = try? JSONDecoder().decode(Report.self, from: data), report.schema == currentSchema else {
            throw Failure("\(path) was not written by --json")
        }
        return report
    }

    /// Returns the table, with the figures of an earlier run beside those of this one.
    func table(comparedWith earlier: Report?) -> String {
        let titles = earlier == nil ? [] : ["before", "change"]
        var rows = [["figure", "median", "range", "processor"] + titles + ["what"]]
        for figure in figures {
            var row = [
                figure.name, Format.number(figure.median),
                "\(Format.number(figure.lowest))..\(Format.number(figure.highest))",
                figure.medianByProcessor.map(Format.number) ?? "-",
            ]
            if let earlier {
                let before = earlier.figures.first { $0.name == figure.name }
                row += [
                    before.map { Format.number($0.median) } ?? "-",
                    before.map { Format.change(figure.median / $0.median - 1) } ?? "-",
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

/// The formats of numbers and JSON.
enum Format {
    static func number(_ number: Double) -> String { String(format: number < 10 ? "%.2f" : "%.1f", number) }

    static func percent(_ part: Double) -> String { String(format: "%.0f %%", part * 100) }

    static func change(_ part: Double) -> String { String(format: "%+.0f %%", part * 100) }

    /// Returns JSON with sorted members, so that equal values give equal lines.
    static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(value) + Data("\n".utf8)
    }
}

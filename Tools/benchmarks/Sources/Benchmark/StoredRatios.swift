import Foundation

/// The ratios that a run is checked against: what is accepted is the median less, or plus, the tolerance.
struct StoredRatios {
    private struct Entry: Codable {
        var median: Double
        var direction: Figure.Direction
        /// The part of the median by which a run may be worse.
        var tolerance: Double

        func accepts(_ figure: Figure) -> Bool {
            switch direction {
            case .higher: figure.median >= median * (1 - tolerance)
            case .lower: figure.median <= median * (1 + tolerance)
            case .neither: true
            }
        }
    }

    /// What a figure gets that has no tolerance of its own yet.
    private static let usualTolerance = 0.15

    private var entries: [String: Entry] = [:]

    /// No ratios yet.
    init() {}

    init(readingFrom path: String) throws {
        do {
            entries = try JSONDecoder().decode([String: Entry].self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            throw Failure("there are no stored ratios in \(path)", hint: "Tools/bench --save")
        }
    }

    /// What is worse than it may be.
    func shortfalls(of figures: [Figure]) -> [String] {
        figures.compactMap { figure in
            guard let entry = entries[figure.name], !entry.accepts(figure) else { return nil }
            return "\(figure.name) is \(Text.number(figure.median)), where \(Text.number(entry.median)) is stored with "
                + "a tolerance of \(Text.percent(entry.tolerance))"
        }
    }

    /// Takes figures over; tolerances that somebody has set stay.
    mutating func take(_ figures: [Figure]) {
        for figure in figures where figure.direction != .neither {
            entries[figure.name] = Entry(
                median: (figure.median * 100).rounded() / 100, direction: figure.direction,
                tolerance: entries[figure.name]?.tolerance ?? Self.usualTolerance
            )
        }
    }

    func write(to path: String) throws {
        try Text.json(entries).write(to: URL(filePath: path), options: .atomic)
    }
}

import Foundation

/// The stored ratios that a run is checked against; a median may be worse by the tolerance.
struct StoredRatios {
    private struct Entry: Codable {
        var median: Double
        var direction: Figure.Direction
        /// The fraction of the median by which a run may be worse.
        var tolerance: Double

        func accepts(_ figure: Figure) -> Bool {
            switch direction {
            case .higher: figure.median >= median * (1 - tolerance)
            case .lower: figure.median <= median * (1 + tolerance)
            case .neither: true
            }
        }
    }

    /// The tolerance of a figure that is stored for the first time.
    private static let defaultTolerance = 0.15

    private var entries: [String: Entry] = [:]

    /// Creates an empty collection.
    init() {}

    init(readingFrom path: String) throws {
        do {
            entries = try JSONDecoder().decode([String: Entry].self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            throw Failure("cannot read stored ratios from \(path)", hint: "Tools/bench --save")
        }
    }

    /// Returns a message for each figure that is worse than allowed.
    func shortfalls(of figures: [Figure]) -> [String] {
        figures.compactMap { figure in
            guard let entry = entries[figure.name], !entry.accepts(figure) else { return nil }
            return "\(figure.name) is \(Format.number(figure.median)), but the stored ratio is "
                + "\(Format.number(entry.median)) with a tolerance of \(Format.percent(entry.tolerance))"
        }
    }

    /// Stores figures; existing tolerances stay.
    mutating func store(_ figures: [Figure]) {
        for figure in figures where figure.direction != .neither {
            entries[figure.name] = Entry(
                median: (figure.median * 100).rounded() / 100, direction: figure.direction,
                tolerance: entries[figure.name]?.tolerance ?? Self.defaultTolerance
            )
        }
    }

    func write(to path: String) throws {
        try Format.json(entries).write(to: URL(filePath: path), options: .atomic)
    }
}

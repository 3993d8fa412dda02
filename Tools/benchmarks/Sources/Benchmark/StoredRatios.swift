import Foundation

/// The stored ratios that a run is checked against; a median may be worse by the tolerance, but not beyond a limit.
struct StoredRatios {
    private struct Entry: Codable {
        var median: Double
        var direction: Figure.Direction
        /// The fraction of the median by which a run may be worse.
        var tolerance: Double
        /// The worst value that is allowed however the stored ratio and its tolerance change; nil for no such limit.
        var limit: Double?

        /// Returns what a figure does not keep; nil if it is accepted.
        func objection(to figure: Figure) -> String? {
            if let limit, isWorse(figure.median, than: limit) { return "the limit is \(Format.number(limit))" }
            let sign: Double = direction == .higher ? -1 : 1
            guard isWorse(figure.median, than: median * (1 + sign * tolerance)) else { return nil }
            return "the stored ratio is \(Format.number(median)) with a tolerance of \(Format.percent(tolerance))"
        }

        private func isWorse(_ value: Double, than other: Double) -> Bool {
            switch direction {
            case .higher: value < other
            case .lower: value > other
            case .neither: false
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

    /// Returns a message for each figure that is worse than allowed, or of which no ratio is stored.
    func shortfalls(of figures: [Figure]) -> [String] {
        figures.filter { $0.direction != .neither }.compactMap { figure in
            guard let entry = entries[figure.name] else { return "\(figure.name) has no stored ratio" }
            return entry.objection(to: figure).map { "\(figure.name) is \(Format.number(figure.median)), but \($0)" }
        }
    }

    /// Stores figures; existing tolerances and limits stay.
    mutating func store(_ figures: [Figure]) {
        for figure in figures where figure.direction != .neither {
            entries[figure.name] = Entry(
                median: (figure.median * 100).rounded() / 100, direction: figure.direction,
                tolerance: entries[figure.name]?.tolerance ?? Self.defaultTolerance,
                limit: entries[figure.name]?.limit
            )
        }
    }

    func write(to path: String) throws {
        try Format.json(entries).write(to: URL(filePath: path), options: .atomic)
    }
}

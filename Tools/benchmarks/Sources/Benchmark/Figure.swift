/// One figure of a run: a ratio, or for memory megabytes.
struct Figure: Codable {
    /// What is better.
    enum Direction: String, Codable {
        case higher
        case lower
    }

    var name: String
    var explanation: String
    var direction: Direction
    /// The median of the rounds, and their ends.
    var median: Double
    var lowest: Double
    var highest: Double

    init(_ name: String, _ explanation: String, _ values: [Double], better direction: Direction = .higher) {
        self.name = name
        self.explanation = explanation
        self.direction = direction
        let sorted = values.sorted()
        median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
        lowest = sorted.first ?? 0
        highest = sorted.last ?? 0
    }
}

/// A figure as it is kept to be compared with: what is accepted is the median less, or plus, the tolerance.
struct StoredFigure: Codable {
    var median: Double
    var direction: Figure.Direction
    /// The part of the median by which a run may be worse.
    var tolerance: Double

    func accepts(_ figure: Figure) -> Bool {
        switch direction {
        case .higher: figure.median >= median * (1 - tolerance)
        case .lower: figure.median <= median * (1 + tolerance)
        }
    }
}

/// One figure of a run: a ratio, or for memory megabytes.
struct Figure: Codable {
    /// What is better.
    enum Direction: String, Codable {
        case higher
        case lower
        /// Neither: it says something about the machine.
        case neither
    }

    var name: String
    var explanation: String
    var direction: Direction
    /// The median of the rounds, and their ends.
    var median: Double
    var lowest: Double
    var highest: Double
    /// The median by the time for which processors worked, where that is known.
    var medianByProcessor: Double?

    init(_ name: String, _ explanation: String, _ rounds: [Ratio], better direction: Direction = .higher) {
        self.name = name
        self.explanation = explanation
        self.direction = direction
        let values = rounds.map(\.value)
        median = Self.median(values) ?? 0
        lowest = values.min() ?? 0
        highest = values.max() ?? 0
        medianByProcessor = Self.median(rounds.compactMap(\.byProcessor))
    }

    private static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

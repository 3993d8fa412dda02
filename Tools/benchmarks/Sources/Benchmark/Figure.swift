/// A result of a run: a ratio, or megabytes for memory.
struct Figure: Codable {
    /// Which change of a figure is an improvement.
    enum Direction: String, Codable {
        case higher
        case lower
        /// Neither: the figure describes the machine.
        case neither
    }

    var name: String
    var explanation: String
    var direction: Direction
    /// The median, the minimum and the maximum of the rounds.
    var median: Double
    var lowest: Double
    var highest: Double
    /// The median of the ratios of processor time, if it was measured.
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

/// The ratio of one round to its reference.
struct Ratio {
    /// The ratio of elapsed times, which counts.
    let value: Double
    /// The ratio of processor times, which other work on the machine disturbs less.
    var byProcessor: Double?

    init(_ value: Double, byProcessor: Double? = nil) {
        self.value = value
        self.byProcessor = byProcessor
    }

    /// Creates the speed relative to a reference: 2 for half the time.
    init(of reference: Elapsed, to time: Elapsed) {
        value = reference.seconds / time.seconds
        // Too short to be measured.
        byProcessor = time.processorSeconds > 0 ? reference.processorSeconds / time.processorSeconds : nil
    }

    /// Creates the processor time relative to a reference: 2 for twice the time.
    ///
    /// For work that waits for nothing: other work on the machine only makes the elapsed time longer.
    init(processorOf time: Elapsed, to reference: Elapsed) {
        self.init(time.processorSeconds / reference.processorSeconds)
    }
}

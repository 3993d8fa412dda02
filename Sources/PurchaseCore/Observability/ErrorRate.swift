/// When the share of failed calls of a stage is an anomaly.
public struct ErrorRateRule: Sendable, Hashable {
    /// The length of the window in milliseconds, at least 1,000.
    public let windowMilliseconds: Int64
    /// The number of calls in the window below which the share means nothing, at least 1.
    public let minimumCalls: Int
    /// The share of failed calls, in percent, from which on it is an anomaly: 1 to 100.
    public let percent: Int

    /// Creates a rule; a value outside of its range becomes the nearest one of it, a window at most a day.
    public init(windowMilliseconds: Int64 = 600_000, minimumCalls: Int = 10, percent: Int = 50) {
        self.windowMilliseconds = min(max(1_000, windowMilliseconds), 86_400_000)
        self.minimumCalls = max(1, minimumCalls)
        self.percent = min(max(1, percent), 100)
    }
}

/// The calls of one stage within a sliding window, and whether their failures are an anomaly.
///
/// The window consists of 60 slots, so its memory is bounded, and its length is exact to a sixtieth.
struct ErrorRateWatch: Sendable {
    /// What the latest call has changed.
    enum Change: Sendable, Hashable {
        case began, ended
    }

    private struct Slot: Sendable {
        var number: Int64
        var calls = 0
        var failures = 0
    }

    private static let slotCount: Int64 = 60
    private let rule: ErrorRateRule
    private var slots: [Slot] = []
    /// Whether the share has been at the limit, and has not fallen below half of it since.
    private(set) var isAnomalous = false

    init(_ rule: ErrorRateRule) {
        self.rule = rule
    }

    /// Counts a call.
    ///
    /// - Parameter uptime: The milliseconds since some instant, by a clock that is never set.
    mutating func count(isFailure: Bool, at uptime: Int64) -> Change? {
        let number = max(uptime / max(1, rule.windowMilliseconds / Self.slotCount), slots.last?.number ?? .min)
        removeSlots(before: number)
        if slots.last?.number != number { slots.append(Slot(number: number)) }
        slots[slots.count - 1].calls += 1
        if isFailure { slots[slots.count - 1].failures += 1 }
        let (calls, failures) = total
        if isAnomalous {
            // Half of the limit, so that a share around the limit is one episode.
            guard failures * 200 < rule.percent * calls else { return nil }
            isAnomalous = false
            return .ended
        }
        guard calls >= rule.minimumCalls, failures * 100 >= rule.percent * calls else { return nil }
        isAnomalous = true
        return .began
    }

    /// The calls and the failures in the window of the latest call.
    var total: (calls: Int, failures: Int) {
        slots.reduce(into: (0, 0)) { total, slot in
            total.0 += slot.calls
            total.1 += slot.failures
        }
    }

    private mutating func removeSlots(before number: Int64) {
        let (first, overflow) = number.subtractingReportingOverflow(Self.slotCount)
        guard !overflow else { return }
        slots.removeAll { $0.number <= first }
    }
}

public import ReceiptTypes

/// What a ``PurchaseMonitor`` has counted since it was created, for a dashboard.
public struct MonitorReport: Sendable, Hashable {
    /// The calls of one stage.
    public struct Stage: Sendable, Hashable {
        /// The stage.
        public let stage: PurchaseStage
        /// The number of calls.
        public let calls: Int
        /// The number of failed calls, by the code of the failure.
        public let failures: [String: Int]
        /// The number of calls that were slow.
        public let slowCalls: Int
        /// The time of all calls together, in milliseconds.
        public let totalMilliseconds: Int64
        /// The number of calls that have taken at most as long as each of ``MonitorReport/bucketMilliseconds``.
        public let callsWithin: [Int]
        /// The number of calls in the window of the error rate.
        public let recentCalls: Int
        /// The number of failed calls in the window of the error rate.
        public let recentFailures: Int
        /// Whether the error rate is an anomaly.
        public let isAnomalous: Bool
    }

    /// The time at which the monitor was created.
    public let start: Timestamp
    /// The time of the report.
    public let date: Timestamp
    /// The stages with calls, in the order of their names.
    public let stages: [Stage]
    /// The number of events, by their kind.
    public let events: [PurchaseLogEvent.Kind: Int]

    /// The upper bounds of the buckets of times, in milliseconds; a last bucket has every call.
    public static let bucketMilliseconds: [Int64] = [
        1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000, 30_000, 60_000, 300_000,
    ]

    init(
        _ figures: MonitorFigures, _ watches: [PurchaseStage: ErrorRateWatch], from start: Timestamp, to date: Timestamp
    ) {
        self.start = start
        self.date = date
        events = figures.events
        stages = figures.stages.sorted { $0.key.rawValue.precedes($1.key.rawValue) }.map { stage, figures in
            let recent = watches[stage]?.total ?? (calls: 0, failures: 0)
            return Stage(
                stage: stage, calls: figures.calls, failures: figures.failures, slowCalls: figures.slowCalls,
                totalMilliseconds: figures.totalMilliseconds, callsWithin: figures.callsWithin,
                recentCalls: recent.calls, recentFailures: recent.failures,
                isAnomalous: watches[stage]?.isAnomalous ?? false)
        }
    }

    /// The report as a JSON object.
    public var json: JSONObject {
        var eventCounts = JSONObject()
        for (kind, count) in events.sorted(by: { $0.key.rawValue.precedes($1.key.rawValue) }) {
            eventCounts[kind.rawValue] = .integer(Int64(count))
        }
        return [
            "start": .string(start.description), "date": .string(date.description),
            "stages": .array(stages.map { .object($0.json) }), "events": .object(eventCounts),
        ]
    }
}

extension MonitorReport.Stage {
    fileprivate var json: JSONObject {
        var codes = JSONObject()
        for (code, count) in failures.sorted(by: { $0.key.precedes($1.key) }) { codes[code] = .integer(Int64(count)) }
        var within = JSONObject()
        for (limit, count) in zip(MonitorReport.bucketMilliseconds, callsWithin) {
            within["\(limit)"] = .integer(Int64(count))
        }
        return [
            "stage": .string(stage.rawValue), "calls": .integer(Int64(calls)), "slow": .integer(Int64(slowCalls)),
            "milliseconds": .integer(totalMilliseconds), "withinMilliseconds": .object(within),
            "failures": .object(codes), "recentCalls": .integer(Int64(recentCalls)),
            "recentFailures": .integer(Int64(recentFailures)), "anomaly": .boolean(isAnomalous),
        ]
    }
}

/// The running counts of a ``PurchaseMonitor``. The number of different names is limited, and so is its memory.
struct MonitorFigures: Sendable {
    struct Stage: Sendable {
        var calls = 0
        var failures: [String: Int] = [:]
        var slowCalls = 0
        var totalMilliseconds: Int64 = 0
        var callsWithin = [Int](repeating: 0, count: MonitorReport.bucketMilliseconds.count)
    }

    private(set) var stages: [PurchaseStage: Stage] = [:]
    private(set) var events: [PurchaseLogEvent.Kind: Int] = [:]

    /// The largest number of different kinds, codes and stages; the others are counted as `other`.
    private static let nameLimit = 100
    private static let other = "other"

    mutating func count(_ event: PurchaseLogEvent) {
        let isKnown = events[event.kind] != nil || events.count < Self.nameLimit
        events[isKnown ? event.kind : .init(rawValue: Self.other), default: 0] += 1
    }

    mutating func count(_ timing: StageTiming, isSlow: Bool) {
        let isKnown = stages[timing.stage] != nil || stages.count < Self.nameLimit
        stages[isKnown ? timing.stage : .init(rawValue: Self.other), default: Stage()].count(
            timing, isSlow: isSlow, nameLimit: Self.nameLimit, other: Self.other)
    }
}

extension MonitorFigures.Stage {
    fileprivate mutating func count(_ timing: StageTiming, isSlow: Bool, nameLimit: Int, other: String) {
        calls += 1
        if isSlow { slowCalls += 1 }
        let (sum, overflow) = totalMilliseconds.addingReportingOverflow(timing.milliseconds)
        totalMilliseconds = overflow ? .max : sum
        for (index, limit) in MonitorReport.bucketMilliseconds.enumerated() where timing.milliseconds <= limit {
            callsWithin[index] += 1
        }
        if let code = timing.failureCode {
            failures[failures[code] != nil || failures.count < nameLimit ? code : other, default: 0] += 1
        }
    }
}

internal import ReceiptTypes

extension MonitorReport {
    /// The media type of ``openMetrics``, for the header `Content-Type` of an HTTP answer.
    public static let openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The report in the text format of OpenMetrics 1.0, which Prometheus scrapes.
    ///
    /// Times are in seconds. The families are `purchase_stage_duration_seconds`, `purchase_stage_failures`,
    /// `purchase_stage_slow_calls`, `purchase_stage_error_ratio`, `purchase_stage_anomaly` and `purchase_log_events`.
    public var openMetrics: String {
        var text = OpenMetricsText(created: Self.decimal(start.millisecondsSince1970))
        text.begin(
            "purchase_stage_duration_seconds", "histogram", unit: "seconds",
            help: "Time of the calls of each stage of a purchase.")
        for stage in stages { text.append(histogram: stage) }
        text.begin(
            "purchase_stage_failures", "counter", help: "Failed calls of each stage, by the code of the failure.")
        for stage in stages {
            for (code, count) in stage.failures.sorted(by: { $0.key.precedes($1.key) }) {
                text.append(counter: [("stage", stage.stage.rawValue), ("code", code)], count)
            }
        }
        text.begin("purchase_stage_slow_calls", "counter", help: "Calls of each stage that took longer than its limit.")
        for stage in stages { text.append(counter: [("stage", stage.stage.rawValue)], stage.slowCalls) }
        text.begin(
            "purchase_stage_error_ratio", "gauge", unit: "ratio",
            help: "Share of failed calls of each stage in the window of the error rate.")
        for stage in stages {
            let thousandths = stage.recentCalls == 0 ? 0 : stage.recentFailures * 1000 / stage.recentCalls
            text.append("", [("stage", stage.stage.rawValue)], Self.decimal(Int64(thousandths)))
        }
        text.begin("purchase_stage_anomaly", "gauge", help: "Whether the error ratio of a stage is an anomaly.")
        for stage in stages { text.append("", [("stage", stage.stage.rawValue)], stage.isAnomalous ? "1" : "0") }
        text.begin("purchase_log_events", "counter", help: "Log events by kind.")
        for (kind, count) in events.sorted(by: { $0.key.rawValue.precedes($1.key.rawValue) }) {
            text.append(counter: [("kind", kind.rawValue)], count)
        }
        return text.finished
    }

    /// Returns thousandths as a decimal number.
    fileprivate static func decimal(_ thousandths: Int64) -> String {
        let digits = "\(thousandths.magnitude % 1000)"
        var fraction = String(repeating: "0", count: 3 - digits.count) + digits
        while fraction.count > 1, fraction.last == "0" { fraction.removeLast() }
        return "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1000).\(fraction)"
    }
}

/// Writes the text format of OpenMetrics, one family of metrics after the other.
private struct OpenMetricsText {
    private var text = ""
    private var family = ""
    private let created: String

    init(created: String) {
        self.created = created
    }

    mutating func begin(_ family: String, _ type: String, unit: String? = nil, help: String) {
        self.family = family
        text += "# TYPE \(family) \(type)\n"
        if let unit { text += "# UNIT \(family) \(unit)\n" }
        text += "# HELP \(family) \(Self.escaped(help))\n"
    }

    mutating func append(_ suffix: String, _ labels: [(name: String, value: String)], _ value: String) {
        let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        text += "\(family)\(suffix){\(list)} \(value)\n"
    }

    mutating func append(counter labels: [(name: String, value: String)], _ count: Int) {
        append("_total", labels, "\(count)")
        append("_created", labels, created)
    }

    mutating func append(histogram stage: MonitorReport.Stage) {
        let label = (name: "stage", value: stage.stage.rawValue)
        for (limit, count) in zip(MonitorReport.bucketMilliseconds, stage.callsWithin) {
            append("_bucket", [label, ("le", MonitorReport.decimal(limit))], "\(count)")
        }
        append("_bucket", [label, ("le", "+Inf")], "\(stage.calls)")
        append("_count", [label], "\(stage.calls)")
        append("_sum", [label], MonitorReport.decimal(stage.totalMilliseconds))
        append("_created", [label], created)
    }

    var finished: String { text + "# EOF\n" }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

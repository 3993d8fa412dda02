import PurchaseCore
import ReceiptTypes
import Testing

/// The two forms of the report of a monitor.
@Suite("Report of a monitor")
struct MonitorReportTests {
    private func report() -> MonitorReport {
        let monitor = PurchaseMonitor(
            rules: MonitorRules(
                slowMilliseconds: [.verify: 1_000],
                errorRate: ErrorRateRule(windowMilliseconds: 60_000, minimumCalls: 3, percent: 60)),
            environment: PurchaseEnvironment(clock: { Sample.at(0) }))
        monitor.log(StageTiming(.verify, milliseconds: 7))
        monitor.log(StageTiming(.verify, milliseconds: 1_250, failureCode: "signature-invalid"))
        monitor.log(StageTiming(.verify, milliseconds: 600_000, failureCode: "quoted \"code\"\\\nline"))
        monitor.log(PurchaseLogEvent(.recorded, detail: ""))
        return monitor.report()
    }

    @Test("[OTP-10.6] the report in the format of OpenMetrics has a family for each figure, and ends with EOF")
    func openMetrics() {
        let lines = report().openMetrics.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.suffix(2) == ["# EOF", ""])
        let expected = """
            # TYPE purchase_stage_duration_seconds histogram
            # UNIT purchase_stage_duration_seconds seconds
            # HELP purchase_stage_duration_seconds Time of the calls of each stage of a purchase.
            purchase_stage_duration_seconds_bucket{stage="verify",le="0.001"} 0
            purchase_stage_duration_seconds_bucket{stage="verify",le="0.005"} 0
            purchase_stage_duration_seconds_bucket{stage="verify",le="0.01"} 1
            purchase_stage_duration_seconds_bucket{stage="verify",le="0.05"} 1
            purchase_stage_duration_seconds_bucket{stage="verify",le="0.1"} 1
            purchase_stage_duration_seconds_bucket{stage="verify",le="0.5"} 1
            purchase_stage_duration_seconds_bucket{stage="verify",le="1.0"} 1
            purchase_stage_duration_seconds_bucket{stage="verify",le="5.0"} 2
            purchase_stage_duration_seconds_bucket{stage="verify",le="10.0"} 2
            purchase_stage_duration_seconds_bucket{stage="verify",le="30.0"} 2
            purchase_stage_duration_seconds_bucket{stage="verify",le="60.0"} 2
            purchase_stage_duration_seconds_bucket{stage="verify",le="300.0"} 2
            purchase_stage_duration_seconds_bucket{stage="verify",le="+Inf"} 3
            purchase_stage_duration_seconds_count{stage="verify"} 3
            purchase_stage_duration_seconds_sum{stage="verify"} 601.257
            purchase_stage_duration_seconds_created{stage="verify"} 1760000000.0
            # TYPE purchase_stage_failures counter
            # HELP purchase_stage_failures Failed calls of each stage, by the code of the failure.
            purchase_stage_failures_total{stage="verify",code="quoted \\"code\\"\\\\\\nline"} 1
            purchase_stage_failures_created{stage="verify",code="quoted \\"code\\"\\\\\\nline"} 1760000000.0
            purchase_stage_failures_total{stage="verify",code="signature-invalid"} 1
            purchase_stage_failures_created{stage="verify",code="signature-invalid"} 1760000000.0
            # TYPE purchase_stage_slow_calls counter
            # HELP purchase_stage_slow_calls Calls of each stage that took longer than its limit.
            purchase_stage_slow_calls_total{stage="verify"} 2
            purchase_stage_slow_calls_created{stage="verify"} 1760000000.0
            # TYPE purchase_stage_error_ratio gauge
            # UNIT purchase_stage_error_ratio ratio
            # HELP purchase_stage_error_ratio Share of failed calls of each stage in the window of the error rate.
            purchase_stage_error_ratio{stage="verify"} 0.666
            # TYPE purchase_stage_anomaly gauge
            # HELP purchase_stage_anomaly Whether the error ratio of a stage is an anomaly.
            purchase_stage_anomaly{stage="verify"} 1
            # TYPE purchase_log_events counter
            # HELP purchase_log_events Log events by kind.
            purchase_log_events_total{kind="error-rate-high"} 1
            purchase_log_events_created{kind="error-rate-high"} 1760000000.0
            purchase_log_events_total{kind="recorded"} 1
            purchase_log_events_created{kind="recorded"} 1760000000.0
            purchase_log_events_total{kind="slow-stage"} 2
            purchase_log_events_created{kind="slow-stage"} 1760000000.0
            """.split(separator: "\n").map(String.init)
        #expect(Array(lines.dropLast(2)) == expected)
    }

    @Test("[OTP-10.6] the report as JSON has the same figures")
    func json() {
        let report = report()
        let stage = report.json["stages"]?.elements?.first?.object
        #expect(stage?["stage"]?.text == "verify" && stage?["calls"]?.integer == 3 && stage?["slow"]?.integer == 2)
        #expect(stage?["withinMilliseconds"]?.object?["5000"]?.integer == 2)
        #expect(stage?["failures"]?.object?["signature-invalid"]?.integer == 1)
        #expect(stage?["anomaly"] == .boolean(true) && stage?["milliseconds"]?.integer == 601_257)
        #expect(report.json["events"]?.object?["slow-stage"]?.integer == 2)
        #expect(report.json["start"]?.text == "2025-10-09T08:53:20Z")
    }

    @Test(
        "[OTP-10.6] without a call the report is complete, and its size does not grow with the number of different names"
    )
    func sizes() {
        let monitor = PurchaseMonitor(environment: PurchaseEnvironment(clock: { Sample.at(0) }))
        #expect(monitor.report().openMetrics.hasSuffix("# EOF\n") && monitor.report().stages.isEmpty)
        for number in 0..<1_000 {
            monitor.log(PurchaseLogEvent(.init(rawValue: "kind-\(number)"), detail: ""))
            monitor.log(StageTiming(.verify, milliseconds: .max, failureCode: "code-\(number)"))
        }
        let report = monitor.report()
        #expect(report.events.count == 101 && report.events.values.reduce(0, +) == 2_001)
        #expect(report.stages.first?.failures.count == 101 && report.stages.first?.failures["other"] == 900)
        #expect(report.stages.first?.totalMilliseconds == .max)
    }
}

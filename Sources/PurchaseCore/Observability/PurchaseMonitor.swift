internal import ReceiptTypes

/// The limits of a ``PurchaseMonitor``, as data.
public struct MonitorRules: Sendable, Hashable {
    /// The milliseconds from which on a call of a stage is slow; a stage that is missing is never slow.
    ///
    /// A stage that waits for the customer is never slow either; see ``PurchaseStage/waitsForCustomer``.
    public var slowMilliseconds: [PurchaseStage: Int64]
    /// When the share of failed calls is an anomaly.
    public var errorRate: ErrorRateRule

    /// Creates limits: by default five seconds for a load and a purchase, and one second for a verification and a
    /// record.
    public init(
        slowMilliseconds: [PurchaseStage: Int64] = [
            .load: 5_000, .purchase: 5_000, .verify: 1_000, .record: 1_000,
        ],
        errorRate: ErrorRateRule = ErrorRateRule()
    ) {
        self.slowMilliseconds = slowMilliseconds
        self.errorRate = errorRate
    }
}

/// A log that counts what it receives, warns of slow stages and of many failures, and raises alerts.
///
/// It passes everything on to another log, with its own warnings: ``PurchaseLogEvent/Kind/slowStage`` for each call
/// beyond its limit, and ``PurchaseLogEvent/Kind/errorRateHigh`` once for each episode of a stage. The first failed
/// verification of each transaction, and each such episode, is raised as a ``PurchaseAlert``. A verification that
/// nothing was decided by, for example while a key is missing, is logged and raises none.
///
/// Everything is counted since the monitor was created; ``report()`` returns it for a dashboard.
public final class PurchaseMonitor: PurchaseLog {
    private struct State {
        var figures = MonitorFigures()
        var watches: [PurchaseStage: ErrorRateWatch] = [:]
        /// The number of the episodes of a high error rate.
        var episodes = 0
        /// The subjects whose alerts are being raised or have arrived.
        var raised: Set<ExactString> = []
        var alerts: [Int: Task<Void, Never>] = [:]
        var lastAlert = 0
    }

    private let alerts: (any PurchaseAlerting)?
    private let cases: any AlertCases
    private let rules: MonitorRules
    private let environment: PurchaseEnvironment
    private let start: Timestamp
    private let state = Locked(State())

    /// The number of subjects that are remembered; the memory of the cases has the others.
    private static let raisedLimit = 1_000
    /// The milliseconds for one alert.
    private static let alertDeadline: Int64 = 30_000

    /// Creates a monitor that has counted nothing.
    ///
    /// - Parameters:
    ///   - alerts: The app's support or operations.
    ///   - cases: The memory of the reported cases.
    ///   - rules: The limits.
    ///   - environment: The log that also receives every event and every timing, with the warnings of the monitor; the
    ///     timer and the clock.
    public init(
        alerts: (any PurchaseAlerting)? = nil,
        cases: any AlertCases = InMemoryAlertCases(), rules: MonitorRules = MonitorRules(),
        environment: PurchaseEnvironment = .system
    ) {
        self.alerts = alerts
        self.cases = cases
        self.rules = rules
        self.environment = environment
        start = environment.clock()
    }

    /// Counts an event, and raises an alert for a failed verification.
    public func log(_ event: PurchaseLogEvent) {
        state.withLock { $0.figures.count(event) }
        environment.log.log(event)
        // What has no verdict was rejected by the store itself.
        if event.kind == .unverified,
            event.fields["verdict"] ?? Verdict.unverified.rawValue == Verdict.unverified.rawValue
        {
            raise(
                event,
                about: event.transactionID
                    ?? [event.productID, event.fields["code"]].compactMap { $0 }.joined(separator: " "))
        }
    }

    /// Counts a call, and logs a warning if it was slow or if too many calls of its stage have failed.
    public func log(_ timing: StageTiming) {
        environment.log.log(timing)
        let isSlow = isSlow(timing)
        let uptime = environment.timer.uptimeMilliseconds()
        let (change, calls, failures, episode) = state.withLock { state in
            state.figures.count(timing, isSlow: isSlow)
            let change = state.watches[timing.stage, default: ErrorRateWatch(rules.errorRate)].count(
                isFailure: timing.failureCode != nil, at: uptime)
            if change == .began { state.episodes += 1 }
            let total = state.watches[timing.stage]?.total ?? (calls: 0, failures: 0)
            return (change, total.calls, total.failures, state.episodes)
        }
        if isSlow {
            log(
                PurchaseLogEvent(
                    .slowStage, detail: "the stage \(timing.stage) took \(timing.milliseconds) ms",
                    fields: ["stage": timing.stage.rawValue, "milliseconds": "\(timing.milliseconds)"]))
        }
        guard let change else { return }
        let event = PurchaseLogEvent(
            change == .began ? .errorRateHigh : .errorRateNormal,
            detail: "of \(calls) calls of the stage \(timing.stage), \(failures) have failed",
            fields: ["stage": timing.stage.rawValue, "calls": "\(calls)", "failures": "\(failures)"])
        log(event)
        if change == .began { raise(event, about: "error rate \(start) \(episode)") }
    }

    private func isSlow(_ timing: StageTiming) -> Bool {
        guard !timing.stage.waitsForCustomer, let limit = rules.slowMilliseconds[timing.stage] else { return false }
        return timing.milliseconds >= limit
    }

    /// Returns what was counted.
    public func report() -> MonitorReport {
        let (figures, watches) = state.withLock { ($0.figures, $0.watches) }
        return MonitorReport(figures, watches, from: start, to: environment.clock())
    }

    // MARK: Alerts

    /// Returns when all alerts that were begun before have arrived or have failed.
    public func flush() async {
        for alert in state.withLock({ Array($0.alerts.values) }) { await alert.value }
    }

    private func raise(_ event: PurchaseLogEvent, about subject: String) {
        guard let alerts else { return }
        let date = environment.clock()
        state.withLock { state in
            if state.raised.count >= Self.raisedLimit { state.raised = [] }
            guard state.raised.insert(ExactString(subject)).inserted else { return }
            state.lastAlert += 1
            let number = state.lastAlert
            state.alerts[number] = Task {
                let hasArrived = await self.raise(LogEntry(event, at: date), about: subject, by: alerts)
                self.state.withLock { state in
                    state.alerts[number] = nil
                    if !hasArrived { state.raised.remove(ExactString(subject)) }
                }
            }
        }
    }

    /// Raises an alert unless its case was reported; false if it may not have arrived.
    ///
    /// The case is noted after the alert has arrived: an alert that comes twice has the same id, and one that is
    /// missing would have no trace.
    private func raise(_ entry: LogEntry, about subject: String, by alerts: any PurchaseAlerting) async -> Bool {
        do {
            guard let id = try await cases.unreportedCase(of: subject) else { return true }
            let alert = PurchaseAlert(id: id, entry: entry)
            let deadline = Self.alertDeadline
            guard let answer = await environment.timer.result(within: deadline, of: { try await alerts.raise(alert) })
            else {
                logFailure("the alert was not taken within \(deadline) ms", of: entry)
                return false
            }
            try answer.get()
            try await cases.markReported(id, at: entry.date)
            return true
        } catch {
            logFailure("\(error)", of: entry)
            return false
        }
    }

    private func logFailure(_ detail: String, of entry: LogEntry) {
        log(PurchaseLogEvent(.alertFailed, productID: entry.productID, detail: detail))
    }
}

extension PurchaseLogEvent.Kind {
    /// A call has taken longer than its stage may take.
    public static let slowStage = Self(rawValue: "slow-stage")
    /// Too many of the latest calls of a stage have failed; logged once for each episode.
    public static let errorRateHigh = Self(rawValue: "error-rate-high")
    /// After an episode, fewer than half as many calls of the stage fail as the limit allows.
    public static let errorRateNormal = Self(rawValue: "error-rate-normal")
    /// An alert could not be raised; it is raised again when the same thing happens again.
    public static let alertFailed = Self(rawValue: "alert-failed")
}

import Paywall
import PurchaseCore
import ReceiptTypes
import Testing

/// Suspends every caller until it is opened, or until the time limit of the test cancels the caller.
actor FlowGate {
    private var isOpen: Bool
    private let arrival = AsyncStream.makeStream(of: Void.self)
    private var waiting: [AsyncStream<Void>.Continuation] = []
    private(set) var arrivals = 0

    init(isOpen: Bool = false) {
        self.isOpen = isOpen
    }

    func pass() async {
        arrivals += 1
        arrival.continuation.finish()
        if isOpen { return }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        waiting.append(continuation)
        for await _ in stream {}
    }

    /// Returns when a caller has arrived, or when the time limit of the test has cancelled the wait.
    func arrived() async {
        for await _ in arrival.stream {}
        if arrivals == 0 { Issue.record("no caller has arrived") }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.finish() }
        waiting = []
    }
}

/// A clock that a test sets.
final class SetClock: Sendable {
    /// 2026-01-01T00:00:00Z
    static let start = Timestamp(clamping: 1_767_225_600_000)
    static let day: Int64 = 86_400_000

    private let time = Locked(SetClock.start)

    @Sendable func now() -> Timestamp { time.withLock { $0 } }
    func advance(days: Double) { time.withLock { $0 = $0.adding(milliseconds: Int64(days * Double(Self.day))) } }
}

/// A timer whose waits end only when a test says so.
final class PausedTimer: PurchaseTimer {
    private struct State {
        var uptime: Int64 = 0
        var waits: [(milliseconds: Int64, continuation: AsyncStream<Void>.Continuation, task: Task<Void, Never>)] = []
    }

    private let state = Locked(State())

    func start(milliseconds: Int64) -> Task<Void, Never> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task { for await _ in stream {} }
        state.withLock { $0.waits.append((milliseconds, continuation, task)) }
        return task
    }

    func uptimeMilliseconds() -> Int64 { state.withLock { $0.uptime } }
    func pass(_ milliseconds: Int64) { state.withLock { $0.uptime += milliseconds } }

    /// Ends the waits that were started so far, and returns when everything that has waited for them can go on.
    func waitForEnds() async {
        let tasks = state.withLock { $0.waits.map(\.task) }
        endWaits()
        for task in tasks { await task.value }
    }

    /// Ends the waits that were started so far, or those of them that are not longer than some milliseconds.
    func endWaits(upTo limit: Int64 = .max) {
        let ended = state.withLock { state in
            let ended = state.waits.filter { $0.milliseconds <= limit }
            state.waits.removeAll { $0.milliseconds <= limit }
            return ended
        }
        for wait in ended { wait.continuation.finish() }
    }
}

/// A source with a scripted answer.
struct ScriptedRisk: RiskSource {
    struct Unreachable: Error {}

    var answer: Result<RiskLevel?, any Error> = .success(.low)
    var gate = FlowGate(isOpen: true)

    func riskLevel() async throws -> RiskLevel? {
        await gate.pass()
        return try answer.get()
    }
}

/// A log that records every event.
final class RecordedLog: PurchaseLog {
    private let recorded = Locked<[PurchaseLogEvent]>([])
    var events: [PurchaseLogEvent] { recorded.withLock { $0 } }
    var kinds: [PurchaseLogEvent.Kind] { recorded.withLock { $0.map(\.kind) } }
    func log(_ event: PurchaseLogEvent) { recorded.withLock { $0.append(event) } }
}

import PurchaseCore
import ReceiptTypes
import TimerSupport

@testable import ReceiptVerification

/// A device whose time passes without waiting: each pause ends at once, and moves the uptime by its length.
///
/// A deadline is not a pause: it ends only if its task is cancelled. ``NetworkRetry`` starts the two in turns, a
/// deadline for each attempt and a pause after it. The customer can set the device's clock, which does not change the
/// uptime.
final class SimulatedDevice: PurchaseTimer {
    private struct State {
        var uptime: Int64 = 0
        var clockOffset: Int64 = 0
        var starts = 0
        var pauses: [Int64] = []
        var deadlines: [Int64] = []
    }

    private let state = Locked(State())
    /// Runs before each pause, for example to set the clock.
    private let beforePause: @Sendable (SimulatedDevice) -> Void

    init(beforePause: @escaping @Sendable (SimulatedDevice) -> Void = { _ in }) {
        self.beforePause = beforePause
    }

    var pauses: [Int64] { state.withLock { $0.pauses } }
    var deadlines: [Int64] { state.withLock { $0.deadlines } }

    func uptime() -> DeviceUptime { .test(state.withLock { $0.uptime }) }
    func clock() -> Timestamp { Sample.at(state.withLock { $0.uptime + $0.clockOffset }) }

    func pass(_ milliseconds: Int64) { state.withLock { $0.uptime += milliseconds } }
    func setClock(aheadBy milliseconds: Int64) { state.withLock { $0.clockOffset = milliseconds } }

    func start(milliseconds: Int64) -> Task<Void, Never> {
        let isPause = state.withLock { state in
            state.starts += 1
            return state.starts.isMultiple(of: 2)
        }
        guard isPause else {
            state.withLock { $0.deadlines.append(milliseconds) }
            return Task { for await _ in AsyncStream<Void>.makeStream().stream {} }
        }
        beforePause(self)
        state.withLock { state in
            state.pauses.append(milliseconds)
            state.uptime += milliseconds
        }
        return Task {}
    }
}

import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// Suspends sleepers until a test advances the clock to their instant.
final class ClockTimer: Sendable {
    private struct State {
        var sleepers: [Int: (due: Timestamp, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var last = 0
    }

    private let clock: ManualClock
    private let state = Locked(State())

    init(_ clock: ManualClock) {
        self.clock = clock
    }

    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    func sleep(_ milliseconds: Int64) async throws {
        let due = clock.now().adding(milliseconds: milliseconds)
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return true }
                    state.sleepers[number] = (due, continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Sets the clock, and wakes every sleeper whose instant has come.
    func advance(to time: Timestamp) {
        clock.set(time)
        let woken = state.withLock { state in
            let woken = state.sleepers.filter { $0.value.due <= time }
            for number in woken.keys { state.sleepers[number] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Returns when a task sleeps, or when the caller's time limit has cancelled it.
    func asleep() async {
        while sleeperCount == 0, !Task.isCancelled { await Task.yield() }
    }
}

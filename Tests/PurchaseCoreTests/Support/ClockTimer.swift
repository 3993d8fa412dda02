import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// A timer whose waits end when a test advances the clock to their instant.
final class ClockTimer: PurchaseTimer {
    private struct State {
        var waits: [Int: (due: Timestamp, continuation: AsyncStream<Void>.Continuation)] = [:]
        var last = 0
    }

    private let clock: ManualClock
    private let state = Locked(State())

    init(_ clock: ManualClock) {
        self.clock = clock
    }

    /// The number of waits that have not ended.
    var waitCount: Int { state.withLock { $0.waits.count } }

    func start(milliseconds: Int64) -> Task<Void, Never> {
        let due = clock.now().adding(milliseconds: milliseconds)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let number = state.withLock { state in
            state.last += 1
            state.waits[state.last] = (due, continuation)
            return state.last
        }
        return Task {
            await withTaskCancellationHandler {
                for await _ in stream {}
            } onCancel: {
                self.state.withLock { $0.waits[number] = nil }
            }
        }
    }

    /// Sets the clock, and ends every wait whose instant has come.
    func advance(to time: Timestamp) {
        clock.set(time)
        let due = state.withLock { state in
            let due = state.waits.filter { $0.value.due <= time }
            for number in due.keys { state.waits[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.finish() }
    }

    /// Returns when something waits, or when the caller's time limit has cancelled it.
    func waiting() async {
        while waitCount == 0, !Task.isCancelled { await Task.yield() }
    }
}

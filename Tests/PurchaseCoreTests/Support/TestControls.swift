import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Suspends every caller until it is opened.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private(set) var arrivals = 0
    private var expecting: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    private var lastExpectation = 0

    func pass() async {
        arrivals += 1
        for (number, expectation) in expecting where expectation.count <= arrivals {
            expecting[number] = nil
            expectation.continuation.resume()
        }
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Returns when this many callers have arrived; if the time limit of the test ends the wait, that is an issue.
    func arrived(_ count: Int = 1) async {
        if arrivals >= count { return }
        lastExpectation += 1
        let number = lastExpectation
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { expecting[number] = (count, continuation) }
            }
        } onCancel: {
            Task { await giveUp(number) }
        }
        if arrivals < count { Issue.record("\(arrivals) of \(count) callers have arrived") }
    }

    private func giveUp(_ number: Int) { expecting.removeValue(forKey: number)?.continuation.resume() }
}

/// A clock that a test sets.
final class ManualClock: Sendable {
    private let time: Locked<Timestamp>

    init(_ time: Timestamp = Sample.at(0)) {
        self.time = Locked(time)
    }

    func set(_ time: Timestamp) { self.time.withLock { $0 = time } }
    func now() -> Timestamp { time.withLock { $0 } }
}

/// A timer whose time passes only when a test lets it.
final class ManualTimer: PurchaseTimer {
    private struct State {
        var now: Int64 = 0
        var waits: [(due: Int64, continuation: AsyncStream<Void>.Continuation)] = []
        /// The number of waits that were started, by their length.
        var started: [Int64: Int] = [:]
        var expecting: [Int: (milliseconds: Int64, count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        var lastExpectation = 0
    }

    private let state = Locked(State())

    func start(milliseconds: Int64) -> Task<Void, Never> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let met = state.withLock { state in
            // A wait that was cancelled stays in the list and is finished without effect.
            state.waits.append((state.now + milliseconds, continuation))
            state.started[milliseconds, default: 0] += 1
            let count = state.started[milliseconds, default: 0]
            let met = state.expecting.filter { $0.value.milliseconds == milliseconds && $0.value.count <= count }
            for number in met.keys { state.expecting[number] = nil }
            return met.values.map(\.continuation)
        }
        // Outside of the lock, which a cancellation takes while it holds a lock of the task.
        for continuation in met { continuation.resume() }
        return Task { for await _ in stream {} }
    }

    func uptimeMilliseconds() -> Int64 { state.withLock { $0.now } }

    /// Returns the number of waits of this length that were started.
    func startCount(_ milliseconds: Int64) -> Int { state.withLock { $0.started[milliseconds, default: 0] } }

    /// Returns when this many waits of this length were started; if the time limit of the test ends the wait, that is
    /// an issue.
    func started(_ milliseconds: Int64, count: Int = 1) async {
        let number = state.withLock { state in
            state.lastExpectation += 1
            return state.lastExpectation
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if state.started[milliseconds, default: 0] >= count || Task.isCancelled {
                        continuation.resume()
                    } else {
                        state.expecting[number] = (milliseconds, count, continuation)
                    }
                }
            }
        } onCancel: {
            state.withLock { $0.expecting.removeValue(forKey: number)?.continuation }?.resume()
        }
        let found = startCount(milliseconds)
        if found < count { Issue.record("\(found) of \(count) waits of \(milliseconds) ms were started") }
    }

    /// Lets time pass: every wait that ends within it ends.
    func advance(by milliseconds: Int64) {
        let due = state.withLock { state in
            state.now += milliseconds
            let now = state.now
            defer { state.waits.removeAll { $0.due <= now } }
            return state.waits.filter { $0.due <= now }.map(\.continuation)
        }
        for continuation in due { continuation.finish() }
    }
}

/// Sends updates to every open stream.
final class UpdateBroadcaster: Sendable {
    private let continuations = Locked<[AsyncStream<StoreUpdate>.Continuation]>([])
    /// The number of streams that were created.
    var streamCount: Int { continuations.withLock { $0.count } }

    func stream() -> AsyncStream<StoreUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreUpdate.self)
        continuations.withLock { $0.append(continuation) }
        return stream
    }

    func send(_ update: StoreUpdate) {
        for continuation in continuations.withLock({ $0 }) { continuation.yield(update) }
    }

    func end() {
        for continuation in continuations.withLock({ $0 }) { continuation.finish() }
    }
}

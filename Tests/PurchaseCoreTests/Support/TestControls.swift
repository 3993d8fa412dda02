import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// Suspends every caller until it is opened.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private(set) var arrivals = 0
    private var expecting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func pass() async {
        arrivals += 1
        for expectation in expecting where expectation.count <= arrivals { expectation.continuation.resume() }
        expecting.removeAll { $0.count <= arrivals }
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Returns when this many callers have arrived.
    func arrived(_ count: Int = 1) async {
        if arrivals >= count { return }
        await withCheckedContinuation { expecting.append((count, $0)) }
    }
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

/// Sends updates to every open stream.
final class UpdateBroadcaster: Sendable {
    private let continuations = Locked<[AsyncStream<StoreUpdate>.Continuation]>([])

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

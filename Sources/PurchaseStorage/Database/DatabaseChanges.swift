import PurchaseCore
internal import ReceiptTypes

/// Wakes the observers of a database after each change of the purchases.
///
/// A change of this connection wakes them at once. Changes of other connections, also in other processes, are looked
/// for in intervals, and only while there is an observer.
final class DatabaseChanges: Sendable {
    private struct State {
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastObserver = 0
        /// The task that looks for changes of other connections.
        var search: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let timer: any PurchaseTimer
    private let interval: Int64

    /// Creates a source without observers that looks for changes each `interval` milliseconds.
    init(timer: any PurchaseTimer, interval: Int64) {
        self.timer = timer
        self.interval = max(1, interval)
    }

    /// Returns a sequence with an element after one or more changes; it ends when it is released.
    ///
    /// - Parameter hasForeignChange: Returns whether another connection has changed the database since the last call.
    func wakeUps(_ hasForeignChange: @escaping @Sendable () async -> Bool) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = continuation
            if state.search == nil { state.search = Task { await self.search(hasForeignChange) } }
            return state.lastObserver
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Wakes all observers.
    func send() {
        for observer in state.withLock({ Array($0.observers.values) }) { observer.yield() }
    }

    /// The number of observers.
    var observerCount: Int { state.withLock { $0.observers.count } }

    private func remove(_ number: Int) {
        let search = state.withLock { state -> Task<Void, Never>? in
            state.observers[number] = nil
            guard state.observers.isEmpty else { return nil }
            defer { state.search = nil }
            return state.search
        }
        // Outside the lock, because the cancellation ends the wait of the app's timer.
        search?.cancel()
    }

    private func search(_ hasForeignChange: @Sendable () async -> Bool) async {
        while !Task.isCancelled {
            let wait = timer.start(milliseconds: interval)
            await withTaskCancellationHandler {
                await wait.value
            } onCancel: {
                wait.cancel()
            }
            if !Task.isCancelled, await hasForeignChange() { send() }
        }
    }
}

internal import ReceiptTypes

/// Runs work one at a time: all callers that arrive during a run share the next one, so a burst of calls runs it twice.
package final class SharedRuns<Value: Sendable>: Sendable {
    private struct State {
        var running: Task<Value, Never>?
        var next: Task<Value, Never>?
    }

    private let state = Locked(State())

    /// Creates a value without a run.
    package init() {}

    /// The run that begins or ends last; nil if none is under way.
    package var last: Task<Value, Never>? { state.withLock { $0.next ?? $0.running } }

    /// Starts a run of the work, or returns the one that begins when the present one has ended.
    ///
    /// All calls give the same work.
    package func run(_ work: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        state.withLock { state in
            if let next = state.next { return next }
            guard let running = state.running else {
                let task = Task { await self.value(of: work) }
                state.running = task
                return task
            }
            let next = Task {
                _ = await running.value
                self.state.withLock { ($0.running, $0.next) = ($0.next, nil) }
                return await self.value(of: work)
            }
            state.next = next
            return next
        }
    }

    /// Cancels the runs, and returns when they have ended.
    package func cancel() async {
        let (running, next) = state.withLock { ($0.running, $0.next) }
        next?.cancel()
        running?.cancel()
        _ = await running?.value
        _ = await next?.value
    }

    private func value(of work: @Sendable () async -> Value) async -> Value {
        let value = await work()
        state.withLock { $0.running = nil }
        return value
    }
}

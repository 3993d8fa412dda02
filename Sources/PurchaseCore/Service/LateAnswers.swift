internal import ReceiptTypes

/// The work that asks the store for a call of a service which has returned without it, for example after its deadline.
///
/// A call returns within one deadline, however many questions it asks. The work behind it goes on, so that an answer
/// that arrives later counts; of too much of it, the oldest is given up.
final class LateAnswers: Sendable {
    private struct State {
        var work: [(number: Int, cancel: @Sendable () -> Void)] = []
        var lastNumber = 0
    }

    /// The largest number of late answers that are awaited.
    private static let limit = 4

    private let state = Locked(State())

    /// Returns the value of work that asks the store, or nil after a deadline; the work goes on then.
    ///
    /// - Parameter late: Receives the value if it comes after the deadline.
    func value<Value: Sendable>(
        of work: @escaping @Sendable () async -> Value, before deadline: Task<Void, Never>,
        late: @escaping @Sendable (Value) async -> Void
    ) async -> Value? {
        let task = Task { await QuestionLimit.$current.withValue(.none) { await work() } }
        if let value = await SystemTimer.value(of: task, before: deadline) { return value }
        let (number, oldest) = state.withLock { state in
            state.lastNumber += 1
            state.work.append((state.lastNumber, { task.cancel() }))
            return (state.lastNumber, state.work.count > Self.limit ? state.work.removeFirst().cancel : nil)
        }
        oldest?()
        Task {
            let value = await task.value
            state.withLock { $0.work.removeAll { $0.number == number } }
            if !task.isCancelled { await late(value) }
        }
        return nil
    }
}

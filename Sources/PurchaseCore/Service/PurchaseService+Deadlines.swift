internal import ReceiptTypes

/// Work that asks the store and whose caller has stopped waiting.
struct LateWork: Sendable {
    let number: Int
    let cancel: @Sendable () -> Void
}

// A call of the service returns within one deadline, however many questions it asks. The work behind it goes on,
// so that an answer that arrives later counts.
extension PurchaseService {
    /// The largest number of late answers that are awaited; of more, the oldest one is given up.
    private static let longestLateWork = 4

    /// Returns the value of work that asks the store, or nil after the deadline; the work goes on then.
    ///
    /// - Parameter late: Receives the value if it comes after the deadline.
    func answer<Value: Sendable>(
        within milliseconds: Int64, to work: @escaping @Sendable () async -> Value,
        late: @escaping @Sendable (Value) async -> Void = { _ in }
    ) async -> Value? {
        // It begins before the work.
        let deadline = environment.timer.start(milliseconds: milliseconds)
        defer { deadline.cancel() }
        let task = Task { await QuestionLimit.$current.withValue(.none) { await work() } }
        if let value = await SystemTimer.value(of: task, before: deadline) { return value }
        lastLateWork += 1
        let number = lastLateWork
        lateWork.append(LateWork(number: number) { task.cancel() })
        if lateWork.count > Self.longestLateWork { lateWork.removeFirst().cancel() }
        Task {
            let value = await task.value
            lateWork.removeAll { $0.number == number }
            if !task.isCancelled { await late(value) }
        }
        return nil
    }

    /// Runs calls whose questions to the store share the deadline of one query.
    func sharingDeadline<Value>(_ calls: () async -> Value) async -> Value {
        let deadline = environment.timer.start(milliseconds: deadlines.queryMilliseconds)
        defer { deadline.cancel() }
        return await QuestionLimit.$current.withValue(.shared(deadline)) { await calls() }
    }
}

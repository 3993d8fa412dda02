/// A queue that runs operations of the same key one after the other, and operations of different keys concurrently.
///
/// An operation that was enqueued runs to its end, even if its caller is cancelled.
actor KeyedQueue {
    private var tails: [ExactString: (ticket: Int, task: Task<Void, Never>)] = [:]
    private var lastTicket = 0

    func run<Value: Sendable>(
        _ key: String, _ operation: @escaping @Sendable () async -> Value
    ) async -> Value {
        let key = ExactString(key)
        let previous = tails[key]?.task
        let task = Task {
            await previous?.value
            return await operation()
        }
        lastTicket += 1
        let ticket = lastTicket
        tails[key] = (ticket, Task { _ = await task.value })
        let value = await task.value
        if tails[key]?.ticket == ticket { tails[key] = nil }
        return value
    }
}

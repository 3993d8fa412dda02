/// Runs what concerns one thing in turn, and what concerns different things side by side.
///
/// An operation that has begun is carried through, whoever stops waiting for it.
actor KeyedQueue {
    private var tails: [ExactText: (ticket: Int, task: Task<Void, Never>)] = [:]
    private var lastTicket = 0

    func run<Value: Sendable>(
        _ key: String, _ operation: @escaping @Sendable () async -> Value
    ) async -> Value {
        let key = ExactText(key)
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

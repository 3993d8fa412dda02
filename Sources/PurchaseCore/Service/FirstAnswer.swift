/// The first of several answers to one question; later ones are ignored.
actor FirstAnswer<Answer: Sendable> {
    private var answer: Answer?
    private var waiting: [CheckedContinuation<Answer, Never>] = []

    /// Gives an answer; returns false if there was one already.
    @discardableResult
    func give(_ answer: Answer) -> Bool {
        guard self.answer == nil else { return false }
        self.answer = answer
        for continuation in waiting { continuation.resume(returning: answer) }
        waiting = []
        return true
    }

    /// Returns the answer as soon as there is one.
    func value() async -> Answer {
        if let answer { return answer }
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// Returns the answer as soon as there is one, or nil as soon as the calling task is cancelled.
    nonisolated func valueUnlessCancelled() async -> Answer? {
        let first = FirstAnswer<Answer?>()
        let forwarding = Task { _ = await first.give(await value()) }
        let answer = await withTaskCancellationHandler {
            await first.value()
        } onCancel: {
            Task { await first.give(nil) }
        }
        forwarding.cancel()
        return answer
    }
}

extension PurchaseTimer {
    /// Returns the answer of a call, or nil after the deadline; the call is cancelled then, and its answer ignored.
    ///
    /// The call runs in a task of its own, so a call that never ends suspends nothing but itself.
    func answer<Answer: Sendable>(
        within milliseconds: Int64, to call: @escaping @Sendable () async -> Answer
    ) async -> Answer? {
        let first = FirstAnswer<Answer?>()
        let deadline = start(milliseconds: milliseconds)
        let running = Task { _ = await first.give(await call()) }
        let watch = Task {
            await deadline.value
            await first.give(nil)
        }
        let answer = await withTaskCancellationHandler {
            await first.value()
        } onCancel: {
            running.cancel()
        }
        running.cancel()
        deadline.cancel()
        watch.cancel()
        return answer
    }
}

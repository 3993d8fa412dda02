/// The first of several answers to one question; later ones are ignored.
actor FirstAnswer<Value: Sendable> {
    private var answer: Value?
    /// The answer; nil if there is none yet.
    var current: Value? { answer }
    private var waiting: [CheckedContinuation<Value, Never>] = []
    /// The callers that stop waiting when they are cancelled, by the number of their wait.
    private var cancellable: [Int: CheckedContinuation<Value?, Never>] = [:]
    private var lastWait = 0

    /// Gives an answer; returns false if there was one already.
    @discardableResult
    func give(_ answer: Value) -> Bool {
        guard self.answer == nil else { return false }
        self.answer = answer
        for continuation in waiting { continuation.resume(returning: answer) }
        for continuation in cancellable.values { continuation.resume(returning: answer) }
        (waiting, cancellable) = ([], [:])
        return true
    }

    /// Returns the answer as soon as there is one.
    func value() async -> Value {
        if let answer { return answer }
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// Returns the answer as soon as there is one, or nil as soon as the calling task is cancelled.
    func valueUnlessCancelled() async -> Value? {
        if let answer { return answer }
        lastWait += 1
        let number = lastWait
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: nil)
                } else {
                    cancellable[number] = continuation
                }
            }
        } onCancel: {
            Task { await self.endWait(number) }
        }
    }

    private func endWait(_ number: Int) { cancellable.removeValue(forKey: number)?.resume(returning: nil) }
}

extension PurchaseTimer {
    /// Returns the answer of a call, or nil after the deadline; the call is cancelled then, and its answer ignored.
    ///
    /// The call runs in a task of its own, so a call that never ends suspends nothing but itself.
    ///
    /// - Parameters:
    ///   - isCancellable: Whether the call is cancelled with the caller.
    ///   - isAwaited: Whether a cancelled caller waits for the call; if not, it has nil at once.
    package func answer<Value: Sendable>(
        within milliseconds: Int64, isCancellable: Bool = true, isAwaited: Bool = true,
        to call: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let deadline = start(milliseconds: milliseconds)
        defer { deadline.cancel() }
        return await Self.answer(
            before: deadline, isCancellable: isCancellable, isAwaited: isAwaited, to: call)
    }

    /// Returns the answer of a call, or nil after a deadline that several calls can share, as
    /// ``answer(within:isCancellable:isAwaited:to:)`` does.
    static func answer<Value: Sendable>(
        before deadline: Task<Void, Never>, isCancellable: Bool = true, isAwaited: Bool = true,
        to call: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let first = FirstAnswer<Value?>()
        let running = Task { _ = await first.give(await call()) }
        let watch = Task {
            await deadline.value
            await first.give(nil)
        }
        let answer = await withTaskCancellationHandler {
            isAwaited ? await first.value() : await first.valueUnlessCancelled() ?? nil
        } onCancel: {
            if isCancellable { running.cancel() }
        }
        running.cancel()
        watch.cancel()
        return answer
    }

    /// Returns the value of a task, or nil after the deadline; the task goes on then.
    func value<Value: Sendable>(of task: Task<Value, Never>, within milliseconds: Int64) async -> Value? {
        await answer(within: milliseconds, isCancellable: false) { await task.value }
    }

    /// Returns the value of a task, or nil after a deadline that has begun; the task goes on then.
    static func value<Value: Sendable>(
        of task: Task<Value, Never>, before deadline: Task<Void, Never>
    ) async -> Value? {
        await answer(before: deadline, isCancellable: false) { await task.value }
    }

    /// Returns the result of a call that can throw, or nil after the deadline, as ``answer(within:isCancellable:to:)``
    /// does.
    package func result<Value: Sendable>(
        within milliseconds: Int64, isCancellable: Bool = true,
        of call: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error>? {
        await answer(within: milliseconds, isCancellable: isCancellable) {
            do {
                return .success(try await call())
            } catch {
                return .failure(error)
            }
        }
    }
}

/// The blocks of one batch on their way between threads: one reads, some judge, one takes the results in order.
///
/// No more blocks are on the way than a bounded number, whoever is slow: the reader waits for room, so memory stays
/// flat when results are taken slowly or one block takes long.
final class BatchConveyor: Sendable {
    private struct State {
        var waiting: [(number: Int, block: BatchBlock)] = []
        var judged: [Int: BatchOutput] = [:]
        var submitted = 0
        var taken = 0
        var isComplete = false
        var failure: (any Error)?
        var isAbandoned = false
        var workers = 0
    }

    private let state = Monitor(State())
    private let window: Int

    init(window: Int) {
        self.window = window
    }

    // MARK: The reader

    /// Hands over a block; waits until there is room. False when nobody wants blocks any more.
    func submit(_ block: BatchBlock) -> Bool {
        state.wait { state in
            if state.isAbandoned { return false }
            guard state.submitted - state.taken < window else { return nil }
            state.waiting.append((state.submitted, block))
            state.submitted += 1
            return true
        }
    }

    /// Says that there are no more blocks, and why when the reason is an error.
    func complete(_ failure: (any Error)?) {
        state.update { state in
            state.failure = failure
            state.isComplete = true
        }
    }

    // MARK: Those who judge

    /// Starts a thread that judges blocks; false when the system has none to give.
    func startWorker(_ body: @escaping @Sendable () -> Void) -> Bool {
        state.update { $0.workers += 1 }
        let isStarted = DetachedThread.start { [self] in
            body()
            // Before the thread is counted out, so that nothing of it is left to do when the process is.
            OpenSSL.endThread()
            state.update { $0.workers -= 1 }
        }
        if !isStarted { state.update { $0.workers -= 1 } }
        return isStarted
    }

    /// The next block to judge; waits for one. Nil when there will be none.
    func takeBlock() -> (number: Int, block: BatchBlock)? {
        state.wait { state in
            if state.isAbandoned { return .some(nil) }
            if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
            return state.isComplete ? .some(nil) : nil
        }
    }

    /// Hands over what a block has given.
    func deliver(_ output: BatchOutput, number: Int) {
        state.update { $0.judged[number] = output }
    }

    // MARK: Whoever takes the results

    /// The results of the next block in order; waits for them. Nil at the end.
    ///
    /// - Throws: What stopped the reader, after the results of all that was read before.
    func nextOutput() throws -> BatchOutput? {
        let result: Result<BatchOutput?, any Error> = state.wait { state in
            if let output = state.judged.removeValue(forKey: state.taken) {
                state.taken += 1
                return .success(output)
            }
            guard state.isComplete, state.taken == state.submitted else { return nil }
            return state.failure.map { .failure($0) } ?? .success(nil)
        }
        return try result.get()
    }

    /// Sends everybody home: the results are not wanted any more. Waits for those who judge, who are never long, but not
    /// for the reader, who may be waiting for input that never comes; it ends with its next piece.
    func abandon() {
        state.update { state in
            state.isAbandoned = true
            state.waiting = []
        }
        // Who leaves the process must not do so while another thread is in the middle of OpenSSL.
        state.wait { $0.workers == 0 ? () : nil }
    }
}

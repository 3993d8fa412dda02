/// Passes the blocks of one batch between threads: one reads, several verify, and one takes the results in order.
///
/// The number of blocks between reader and results is bounded. The reader waits for room, so memory use stays constant
/// even if results are taken slowly or one block takes long.
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

    // MARK: Reader

    /// Submits a block; waits until there is room.
    ///
    /// Returns false if the batch was abandoned.
    func submit(_ block: BatchBlock) -> Bool {
        state.wait { state in
            if state.isAbandoned { return false }
            guard state.submitted - state.taken < window else { return nil }
            state.waiting.append((state.submitted, block))
            state.submitted += 1
            return true
        }
    }

    /// Marks the end of the blocks, with the error that ended reading, if any.
    func complete(_ failure: (any Error)?) {
        state.update { state in
            state.failure = failure
            state.isComplete = true
        }
    }

    // MARK: Workers

    /// Starts a thread that verifies blocks.
    ///
    /// Returns false if the system cannot create a thread.
    func startWorker(_ body: @escaping @Sendable () -> Void) -> Bool {
        state.update { $0.workers += 1 }
        let isStarted = DetachedThread.start { [self] in
            body()
            // OpenSSL's clean-up comes first: after the count drops to 0, the process may exit.
            OpenSSL.endThread()
            state.update { $0.workers -= 1 }
        }
        if !isStarted { state.update { $0.workers -= 1 } }
        return isStarted
    }

    /// Takes the next block to verify; waits for one.
    ///
    /// Returns nil if there are no more.
    func takeBlock() -> (number: Int, block: BatchBlock)? {
        state.wait { state in
            if state.isAbandoned { return .some(nil) }
            if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
            return state.isComplete ? .some(nil) : nil
        }
    }

    /// Delivers the results of a block.
    func deliver(_ output: BatchOutput, number: Int) {
        state.update { $0.judged[number] = output }
    }

    // MARK: Results

    /// Takes the results of the next block in order; waits for them.
    ///
    /// Returns nil at the end.
    ///
    /// - Throws: The error that ended reading, after the results of all blocks that were read before it.
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

    /// Ends the batch and discards the remaining blocks.
    ///
    /// Waits for the workers, which finish their current block, but not for the reader, which may be waiting for input.
    /// The reader ends when it submits its next block.
    func abandon() {
        state.update { state in
            state.isAbandoned = true
            state.waiting = []
        }
        // The caller may exit the process, which must not happen while another thread is inside OpenSSL.
        state.wait { $0.workers == 0 ? () : nil }
    }
}

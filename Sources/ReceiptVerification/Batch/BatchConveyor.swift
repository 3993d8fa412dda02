/// Passes the blocks of one batch between threads: one reads, several verify, and one takes the results in order.
///
/// The number of blocks between reader and results is bounded, and so are the bytes of input and of results. The reader
/// and the workers wait for room, so memory use stays constant even if results are taken slowly, one block takes long,
/// or the results are many times as long as the input.
final class BatchConveyor: Sendable {
    /// The results of one block, in parts.
    private struct Parts {
        var waiting: [BatchOutput] = []
        var isComplete = false
    }

    private struct State {
        var waiting: [(number: Int, block: BatchBlock)] = []
        var outputs: [Int: Parts] = [:]
        var submitted = 0
        var taken = 0
        /// The bytes of the blocks that are submitted and not completely verified.
        var inputBytes = 0
        /// The bytes of the results that wait to be taken.
        var outputBytes = 0
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
            guard state.inputBytes == 0 || state.inputBytes + block.byteCount <= BatchMemory.inputLimit
            else { return nil }
            state.inputBytes += block.byteCount
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

    /// Delivers results of a block; waits until there is room for them.
    ///
    /// There is always room for one part of the block whose results are taken next, so this wait ends if results are
    /// taken: blocks are verified in the order of their numbers, and so that block is never one that no thread has
    /// taken.
    func deliver(_ output: BatchOutput, number: Int) {
        state.wait { state -> Void? in
            if state.isAbandoned { return () }
            let isNext = number == state.taken && state.outputs[number]?.waiting.isEmpty ?? true
            guard isNext || state.outputBytes + output.lines.count <= BatchMemory.outputLimit else { return nil }
            state.outputs[number, default: Parts()].waiting.append(output)
            state.outputBytes += output.lines.count
            return ()
        }
    }

    /// Marks the results of a block as delivered.
    func finish(_ block: BatchBlock, number: Int) {
        state.update { state in
            state.outputs[number, default: Parts()].isComplete = true
            state.inputBytes -= block.byteCount
        }
    }

    // MARK: Results

    /// Takes the next results in order; waits for them.
    ///
    /// Returns nil at the end.
    ///
    /// - Throws: The error that ended reading, after the results of all blocks that were read before it.
    func nextOutput() throws -> BatchOutput? {
        let result: Result<BatchOutput?, any Error> = state.wait { state in
            while let parts = state.outputs[state.taken] {
                if !parts.waiting.isEmpty {
                    // The array must be unique to be changed in place.
                    let output = state.outputs[state.taken]?.waiting.removeFirst() ?? BatchOutput()
                    state.outputBytes -= output.lines.count
                    return .success(output)
                }
                guard parts.isComplete else { return nil }
                state.outputs[state.taken] = nil
                state.taken += 1
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

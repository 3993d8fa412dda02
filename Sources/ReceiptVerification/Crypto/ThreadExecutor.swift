internal import ReceiptTypes

/// Runs an actor that waits for files and locks on a thread of its own.
///
/// All other tasks share as many threads as there are cores, so a few calls that wait would stop every task of the
/// process. The thread ends when no call is left.
package final class ThreadExecutor: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isRunning = false
    }

    private let state = Locked(State())

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        let isStarted = DetachedThread.start {
            self.runAll()
            OpenSSL.endThread()
        }
        // Without a further thread, the calls run here.
        if !isStarted { runAll() }
    }

    private func runAll() {
        while let jobs = nextJobs() {
            for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    /// Takes all jobs that wait; nil if there is none, which ends the thread.
    private func nextJobs() -> [UnownedJob]? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isRunning = false
                return nil
            }
            defer { state.jobs = [] }
            return state.jobs
        }
    }
}

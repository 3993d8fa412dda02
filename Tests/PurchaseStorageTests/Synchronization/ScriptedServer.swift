import PurchaseCore
import ReceiptTypes

/// The app's own server, as far as a client sees it: it notes what it receives, and answers as a test says.
final class ScriptedServer: SyncTransport {
    private struct State {
        var submissions: [PurchaseSubmission] = []
        var failure: @Sendable (String) -> SyncError? = { _ in nil }
        var whileSending: @Sendable () async -> Void = {}
    }

    private let state = Locked(State())

    /// The transaction ids of the purchases in the order in which they arrived.
    var sent: [String] { state.withLock { $0.submissions.map(\.purchase.id.transactionID) } }
    /// The states of the purchases that were sent with their contents.
    var purchases: [Purchase] { state.withLock { $0.submissions.map(\.purchase) } }
    var contents: [SignedContent] { state.withLock { $0.submissions.map(\.content) } }

    /// Sets the answer to the purchase with a transaction id.
    func fail(_ failure: @escaping @Sendable (String) -> SyncError?) { state.withLock { $0.failure = failure } }

    /// Sets what happens before the answer.
    func whileSending(_ action: @escaping @Sendable () async -> Void) { state.withLock { $0.whileSending = action } }

    /// Notes a purchase and answers; a request that is cancelled before the answer fails.
    func send(_ submission: PurchaseSubmission) async throws(SyncError) {
        let current = state.withLock { state in
            state.submissions.append(submission)
            return state
        }
        await current.whileSending()
        if Task.isCancelled { throw SyncError(.unreachable, "the request was cancelled") }
        if let error = current.failure(submission.purchase.id.transactionID) { throw error }
    }

    /// Returns when a number of purchases has arrived, or when the caller's time limit has cancelled it.
    func hasReceived(_ count: Int) async {
        while sent.count < count, !Task.isCancelled { await Task.yield() }
    }
}

/// A timer whose waits end when a test says so; it tells deadlines from pauses by their length.
final class ManualTimer: PurchaseTimer {
    /// The length of every deadline of the server, which no pause has.
    static let deadline: Int64 = 1_234_567
    /// The length of every deadline of the database.
    private static let databaseDeadline: Int64 = 30_000

    private let waits = Locked<[Int: (milliseconds: Int64, continuation: AsyncStream<Void>.Continuation)]>([:])
    private let last = Locked(0)

    /// The lengths in milliseconds of the pauses that have not ended.
    var pauses: [Int64] {
        waits.withLock { $0.values.map(\.milliseconds).filter(Self.isPause) }
    }

    private static func isPause(_ milliseconds: Int64) -> Bool {
        milliseconds != deadline && milliseconds != databaseDeadline
    }

    func start(milliseconds: Int64) -> Task<Void, Never> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let number = last.withLock { last in
            last += 1
            return last
        }
        waits.withLock { $0[number] = (milliseconds, continuation) }
        return Task {
            for await _ in stream {}
            self.waits.withLock { $0[number] = nil }
        }
    }

    func endPauses() { end(Self.isPause) }
    func endDeadlines() { end { $0 == Self.deadline } }
    func endDatabaseDeadlines() { end { $0 == Self.databaseDeadline } }

    /// Returns when there is a pause, or when the caller's time limit has cancelled it.
    func hasPause() async {
        while pauses.isEmpty, !Task.isCancelled { await Task.yield() }
    }

    private func end(_ isIncluded: (Int64) -> Bool) {
        let ended = waits.withLock { waits in
            let ended = waits.filter { isIncluded($0.value.milliseconds) }
            for number in ended.keys { waits[number] = nil }
            return ended.values.map(\.continuation)
        }
        for continuation in ended { continuation.finish() }
    }
}

internal import PurchaseCore
internal import ReceiptTypes

/// The simulator's end of a stream of updates.
///
/// The simulator sends under its lock, and sending waits for a lock of the task that reads the stream. When that task
/// is cancelled, the stream ends under the same lock of the task. Therefore the end is only noted here: a handler that
/// waited for the lock of the simulator could wait forever.
struct UpdateOutlet: Sendable {
    private let continuation: AsyncStream<StoreUpdate>.Continuation
    private let end = Locked(false)

    /// Returns a stream and its outlet.
    static func make() -> (stream: AsyncStream<StoreUpdate>, outlet: UpdateOutlet) {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreUpdate.self, bufferingPolicy: .unbounded)
        return (stream, UpdateOutlet(continuation))
    }

    private init(_ continuation: AsyncStream<StoreUpdate>.Continuation) {
        self.continuation = continuation
        continuation.onTermination = { [end] _ in end.withLock { $0 = true } }
    }

    /// Whether the stream has no reader any more.
    var hasEnded: Bool { end.withLock { $0 } }

    func send(_ update: StoreUpdate) { continuation.yield(update) }

    func finish() { continuation.finish() }
}

import PurchaseCore

@testable import ReceiptVerification

/// Sends updates to every stream that is open.
final class Broadcaster: Sendable {
    private let continuations = Locked<[AsyncStream<StoreUpdate>.Continuation]>([])

    func stream() -> AsyncStream<StoreUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreUpdate.self)
        continuations.withLock { $0.append(continuation) }
        return stream
    }

    func send(_ update: StoreUpdate) {
        for continuation in continuations.withLock({ $0 }) { continuation.yield(update) }
    }

    func end() {
        for continuation in continuations.withLock({ $0 }) { continuation.finish() }
    }
}

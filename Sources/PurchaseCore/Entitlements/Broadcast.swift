/// The streams of the observers of one value; a slow observer receives only the latest value.
@MainActor
final class Broadcast<Value: Sendable> {
    private var observers: [Int: AsyncStream<Value>.Continuation] = [:]
    private var lastObserver = 0

    nonisolated init() {}

    deinit {
        // An observer would wait without an end.
        for observer in observers.values { observer.finish() }
    }

    /// Returns a stream that begins with a value and receives every value from here on.
    func stream(from value: Value) -> AsyncStream<Value> {
        lastObserver += 1
        let number = lastObserver
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        observers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.observers[number] = nil }
        }
        continuation.yield(value)
        return stream
    }

    func send(_ value: Value) {
        for observer in observers.values { observer.yield(value) }
    }
}

/// The streams of the observers of one value; a slow observer receives only the latest value.
@MainActor
package final class Broadcast<Value: Sendable> {
    private var observers: [Int: AsyncStream<Value>.Continuation] = [:]
    private var lastObserver = 0

    /// Creates a broadcast without observers.
    package nonisolated init() {}

    deinit {
        // An observer would wait without an end.
        for observer in observers.values { observer.finish() }
    }

    /// Returns a stream that begins with a value and receives every value from here on.
    package func stream(from value: Value) -> AsyncStream<Value> {
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

    /// Sends a value to every observer.
    package func send(_ value: Value) {
        for observer in observers.values { observer.yield(value) }
    }
}

/// The handlers that run within each change of a value, before the call that changes it returns.
@MainActor
final class ChangeHandlers {
    private var handlers: [Int: @MainActor () -> Void] = [:]
    private var last = 0

    nonisolated init() {}

    /// Adds a handler, which is removed when the returned object is released.
    func add(_ handler: @escaping @MainActor () -> Void) -> EntitlementObservation {
        last += 1
        let number = last
        handlers[number] = handler
        return EntitlementObservation { [weak self] in
            Task { @MainActor in self?.handlers[number] = nil }
        }
    }

    func call() {
        for handler in handlers.values { handler() }
    }
}

import ReceiptTypes

/// A value that several tasks change.
final class Shared<Value: Sendable>: Sendable {
    private let state: Locked<Value>

    init(_ value: Value) {
        state = Locked(value)
    }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        state.withLock { value in body(&value) }
    }
}

import ReceiptTypes

@testable import PurchaseStorage

/// The items of a keychain in memory, which several processes use.
final class MemoryKeychain: KeychainItems {
    private struct State {
        var items: [String: [UInt8]]
        var failure: KeychainFailure?
        var listsTwice = false
        var hidesContents = false
        var callCount = 0
        /// The call before which something happens.
        var interruptedCall: Int?
        var interruption: (@Sendable (MemoryKeychain) throws -> Void)?
    }

    let service = "com.example.notes.secrets"
    private let state: Locked<State>

    init(_ items: [String: [UInt8]] = [:]) {
        state = Locked(State(items: items))
    }

    var items: [String: [UInt8]] { state.withLock(\.items) }
    /// Returns the number of calls that an operation makes on a copy of the items.
    func callCount(of operation: (MemoryKeychain) throws -> Void) rethrows -> Int {
        let copy = MemoryKeychain(items)
        try operation(copy)
        return copy.state.withLock(\.callCount)
    }

    /// Makes every call fail; nil ends that.
    func fail(with failure: KeychainFailure?) { state.withLock { $0.failure = failure } }

    /// Makes each name appear twice, as items of two access groups do.
    func listsTwice(_ isOn: Bool) { state.withLock { $0.listsTwice = isOn } }

    /// Makes each item disappear between the list and its content.
    func hidesContents(_ isOn: Bool) { state.withLock { $0.hidesContents = isOn } }

    /// Runs an action once, before a call from here on, the first of which has the number one.
    ///
    /// If the action throws, so does the call.
    func interrupt(before call: Int, _ action: @escaping @Sendable (MemoryKeychain) throws -> Void) {
        state.withLock { ($0.callCount, $0.interruptedCall, $0.interruption) = (0, call, action) }
    }

    /// Forgets an interruption, and returns whether it has run.
    func endInterruption() -> Bool {
        state.withLock { state in
            defer { state.interruptedCall = nil }
            return state.interruptedCall == nil
        }
    }

    private func call<Value>(_ body: (inout State) -> Value) throws(KeychainFailure) -> Value {
        let interruption = state.withLock { state -> (@Sendable (MemoryKeychain) throws -> Void)? in
            state.callCount += 1
            guard state.callCount == state.interruptedCall else { return nil }
            state.interruptedCall = nil
            return state.interruption
        }
        do {
            try interruption?(self)
        } catch {
            throw error as? KeychainFailure ?? .reported(0)
        }
        if let failure = state.withLock(\.failure) { throw failure }
        return state.withLock { body(&$0) }
    }

    // MARK: Items

    func names() throws(KeychainFailure) -> [String] {
        try call { state in state.items.keys + (state.listsTwice ? Array(state.items.keys) : []) }
    }

    func content(of name: String) throws(KeychainFailure) -> [UInt8]? {
        try call { state in state.hidesContents ? nil : state.items[name] }
    }

    func add(_ content: [UInt8], as name: String) throws(KeychainFailure) -> Bool {
        try call { state in
            if state.items[name] != nil { return false }
            state.items[name] = content
            return true
        }
    }

    func delete(_ name: String) throws(KeychainFailure) {
        try call { state in state.items[name] = nil }
    }
}

internal import ReceiptVerification

/// A store on this machine, which sells what a `.storekit` file describes and signs what it sells.
///
/// Commands are steps: each is written before anybody hears of it, and of a step that fails nothing remains. Time passes
/// only when a command says so, and nothing ever waits. It may be used by any number of threads.
///
/// ```swift
/// let store = LocalStore(configuration: configuration, signer: try LocalStoreSigner(), state: state)
/// let customer = store.customer("customer")                       // a Store for PurchaseService
/// try store.perform { engine in try engine.advance(by: 86_400_000) }
/// ```
public final class LocalStore: Sendable {
    /// What the store sells.
    public let configuration: StoreConfiguration
    /// Signs what it sells.
    public let signer: LocalStoreSigner

    let core: Locked<StoreCore>

    /// Opens a store that remembers nothing longer than the process lives.
    public init(
        configuration: StoreConfiguration,
        signer: LocalStoreSigner,
        state: LocalStoreState,
        faults: FaultPlan = .none
    ) {
        self.configuration = configuration
        self.signer = signer
        let engine = LocalStoreEngine(configuration: configuration, state: state)
        core = Locked(StoreCore(engine: engine, signer: signer, path: nil, faults: faults))
    }

    /// Opens a store over a state file, which is made where there is none.
    ///
    /// One process at a time uses a file; of two that write it, one loses what it wrote.
    ///
    /// - Throws: ``LocalStoreError``, with the code `damaged-state` or `newer-state` for a file that is not understood, which
    ///   is left as it is.
    public init(
        configuration: StoreConfiguration,
        signer: LocalStoreSigner,
        file path: String,
        initial: @autoclosure () -> LocalStoreState,
        faults: FaultPlan = .none
    ) throws(LocalStoreError) {
        let state: LocalStoreState
        if let found = try StateFile.read(path) {
            state = found
        } else {
            state = initial()
            try StateFile.write(state, to: path)
        }
        self.configuration = configuration
        self.signer = signer
        let engine = LocalStoreEngine(configuration: configuration, state: state)
        core = Locked(StoreCore(engine: engine, signer: signer, path: path, faults: faults))
    }

    deinit {
        core.withLock { $0.endStreams() }
        finishEnded()
    }

    /// A copy of what the store remembers.
    public var state: LocalStoreState { core.withLock { $0.engine.state } }

    /// What the store remembers as it was last written: where it starts again after a crash.
    public var durableState: LocalStoreState { core.withLock { $0.durable } }

    /// A copy of the engine, to ask without doing anything.
    public var engine: LocalStoreEngine { core.withLock { $0.engine } }

    /// Does something as one step. When `body` throws, or the step cannot be written, nothing has happened.
    ///
    /// The store is busy meanwhile: `body` must not call it, only the engine that it is given.
    ///
    /// - Throws: What `body` throws, or ``LocalStoreError``.
    @discardableResult
    public func perform<Value>(_ body: (inout LocalStoreEngine) throws -> Value) throws -> Value {
        var thrown: (any Error)?
        do {
            return try locked { core throws(LocalStoreError) in
                try core.step { engine throws(LocalStoreError) in
                    do {
                        return try body(&engine)
                    } catch {
                        thrown = error
                        throw LocalStoreError(.invalidAction, "the step was given up", underlying: error)
                    }
                }
            }
        } catch {
            throw thrown ?? error
        }
    }

    /// The store as a customer's device sees it: each call is a launch of the app.
    public func customer(_ account: String) -> Customer {
        let number = core.withLock { core in
            core.lastCustomerNumber += 1
            return core.lastCustomerNumber
        }
        return Customer(store: self, account: account, number: number)
    }

    // MARK: Lock

    func locked<Value>(
        _ body: (inout StoreCore) throws(LocalStoreError) -> Value
    ) throws(LocalStoreError) -> Value {
        defer { finishEnded() }
        return try core.withLock(body)
    }

    /// Ends streams without the lock, because whoever listens is told at once and comes back for it.
    func finishEnded() {
        for stream in core.withLock({ $0.takeEnded() }) { stream.continuation.finish() }
    }
}

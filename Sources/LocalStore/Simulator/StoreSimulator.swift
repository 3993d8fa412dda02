public import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification

/// A simulated App Store, which sells the products of a `.storekit` file and signs its transactions.
///
/// Each call to ``perform(with:_:)`` is one step: the simulator saves the new state before it delivers updates, and a
/// step that throws changes nothing. Time passes only by command, so no call waits. Any number of threads can use a
/// simulator at once.
///
/// ```swift
/// let simulator = StoreSimulator(configuration: configuration, signer: try SimulatorSigner(), state: state)
/// let customer = simulator.customer("customer")  // a Store for PurchaseService
/// try simulator.perform { engine in try engine.advance(byMilliseconds: 86_400_000) }
/// ```
public final class StoreSimulator: Sendable {
    /// The products on sale and their settings.
    public let configuration: StoreConfiguration
    /// The signer of all transactions.
    public let signer: SimulatorSigner

    let core: Locked<SimulatorCore>
    /// Serializes the steps. A step enters it before it locks ``core``, so its function can read the simulator.
    private let steps = StepSection()

    /// Creates a simulator that keeps its state in memory.
    public init(
        configuration: StoreConfiguration,
        signer: SimulatorSigner,
        state: SimulatorState,
        faults: FaultPlan = .none
    ) {
        self.configuration = configuration
        self.signer = signer
        let engine = SimulatorEngine(configuration: configuration, state: state)
        core = Locked(SimulatorCore(engine: engine, signer: signer, file: nil, faults: faults))
    }

    /// Creates a simulator that keeps its state in a file, which is created where it does not exist.
    ///
    /// Each step writes its changes to the file. Only one process at a time may use a file: after another process has
    /// written to it, each step fails with the code `changed-state` and changes nothing.
    ///
    /// - Throws: ``StoreSimulatorError``. With the code `damaged-state` or `newer-state`, the file is left unchanged.
    public convenience init(
        configuration: StoreConfiguration,
        signer: SimulatorSigner,
        file path: String,
        initial: @autoclosure () -> SimulatorState,
        faults: FaultPlan = .none
    ) throws(StoreSimulatorError) {
        if let (file, state) = try StateDatabase.open(path) {
            self.init(configuration, signer, file, state, faults)
        } else {
            let state = initial()
            self.init(configuration, signer, try StateDatabase.create(path, state), state, faults)
        }
    }

    /// Creates a simulator that continues from a state file; nil where the file does not exist.
    ///
    /// - Throws: ``StoreSimulatorError``. With the code `damaged-state` or `newer-state`, the file is left unchanged.
    package convenience init?(
        configuration: StoreConfiguration,
        signer: SimulatorSigner,
        existing path: String,
        faults: FaultPlan = .none
    ) throws(StoreSimulatorError) {
        guard let (file, state) = try StateDatabase.open(path) else { return nil }
        self.init(configuration, signer, file, state, faults)
    }

    /// Creates a simulator for one command, which continues from a state file; nil where there is none.
    ///
    /// Only what the command depends on is read, however long the history is. So
    /// ``state`` can lack other accounts, transactions and notifications, and ``perform(with:_:)`` must run no other
    /// command.
    ///
    /// - Throws: ``StoreSimulatorError``. With the code `damaged-state` or `newer-state`, the file is left unchanged.
    package convenience init?(
        configuration: StoreConfiguration,
        signer: SimulatorSigner,
        existing path: String,
        for need: StateNeed,
        faults: FaultPlan = .none
    ) throws(StoreSimulatorError) {
        guard let (file, state) = try StateDatabase.open(path, for: need) else { return nil }
        self.init(configuration, signer, file, state, faults)
    }

    private init(
        _ configuration: StoreConfiguration, _ signer: SimulatorSigner, _ file: StateDatabase, _ state: SimulatorState,
        _ faults: FaultPlan
    ) {
        self.configuration = configuration
        self.signer = signer
        let engine = SimulatorEngine(configuration: configuration, state: state)
        core = Locked(SimulatorCore(engine: engine, signer: signer, file: file, faults: faults))
    }

    deinit {
        core.withLock { $0.endStreams() }
    }

    /// A copy of the current state.
    public var state: SimulatorState { core.withLock { $0.engine.state } }

    /// The state as last saved, from which a simulator starts again after a crash.
    public var durableState: SimulatorState { core.withLock { $0.durableState } }

    /// Whether the customers' devices reach the store.
    ///
    /// While it is false, every call of a device fails with the code `network`, and updates wait. The store itself goes
    /// on: ``perform(with:_:)`` renews, refunds and advances the clock. When it becomes true again, the devices receive
    /// the updates that they have missed. The value is not part of the saved state.
    ///
    /// ```swift
    /// simulator.isOnline = false
    /// ```
    public var isOnline: Bool {
        get { core.withLock { $0.isOnline } }
        set {
            core.withLock { $0.setOnline(newValue) }
        }
    }

    /// Replaces the faults of the simulator; the visits of each point count from here on.
    ///
    /// ```swift
    /// simulator.inject(FaultPlan(faults: [Fault(at: .purchase, when: .nth(1), do: .fail(code: "network"))]))
    /// ```
    public func inject(_ faults: FaultPlan) { core.withLock { $0.faults = FaultInjector(faults) } }

    /// Adds a fault for the next visit of a point; the other faults stay, and so does a fault that is there for this
    /// visit.
    ///
    /// ```swift
    /// simulator.injectNext(.fail(code: "network"), at: .purchase)
    /// ```
    public func injectNext(_ action: FaultAction, at point: FaultPoint) {
        core.withLock { $0.faults.add(action, atNextVisitOf: point) }
    }

    /// A copy of the engine, for queries.
    public var engine: SimulatorEngine { core.withLock { $0.engine } }

    /// Runs commands as one step; if `body` throws or the state cannot be saved, nothing changes.
    ///
    /// Other steps and the calls of devices wait while `body` runs. It can read the simulator, such as its ``state`` or
    /// its clock, which are as before the step. A call that would wait for the end of the step fails with the code
    /// `nested-step`.
    ///
    /// - Parameters:
    ///   - faults: The faults of this step, in place of those of the simulator; nil for those.
    ///   - body: The commands.
    /// - Throws: The error of `body`, or ``StoreSimulatorError``.
    @discardableResult
    public func perform<Value>(
        with faults: FaultPlan? = nil, _ body: (inout SimulatorEngine) throws -> Value
    ) throws -> Value {
        try steps.run {
            var next = try core.withLock { core throws(StoreSimulatorError) in
                try core.requireNotCrashed()
                return core.engine
            }
            let value = try body(&next)
            try core.withLock { core throws(StoreSimulatorError) in
                let others = core.faults
                if let faults { core.faults = FaultInjector(faults) }
                defer { if faults != nil { core.faults = others } }
                try core.commit(next)
            }
            return value
        }
    }

    /// Throws the error that the settings simulate for a call; a ``Customer`` does this by itself.
    public func requireNoSimulatedError(in call: StoreSettings.SimulatedCall) throws(StoreError) {
        if let name = core.withLock({ $0.engine.state.settings.simulatedErrors[call] }) {
            throw StoreError(simulating: name)
        }
    }

    /// Returns the store as a customer's device sees it; each call is a new launch of the app.
    public func customer(_ account: String) -> Customer {
        let number = core.withLock { core in
            core.lastCustomerNumber += 1
            return core.lastCustomerNumber
        }
        return Customer(store: self, account: account, number: number)
    }

    // MARK: Locking

    /// Runs `body` under the lock, after the step that is running; it can run a step of its own.
    func withCore<Value>(
        _ body: (inout SimulatorCore) throws(StoreSimulatorError) -> Value
    ) throws(StoreSimulatorError) -> Value {
        try steps.run { () throws(StoreSimulatorError) -> Value in try core.withLock(body) }
    }
}

internal import ReceiptTypes

/// The difference between the states before and after a step, which the state file records.
///
/// Its size depends on the step and not on the size of the state.
struct StateChange: Codable, Sendable, Hashable {
    private var now: Timestamp?
    private var settings: StoreSettings?
    private var generator: SplitMix64?
    private var lastNumber: Int64?
    private var lastLineItem: Int64?
    private var accounts: ListChange<StoreAccount>?
    private var transactions: ListChange<StoredTransaction>?
    private var subscriptions: ListChange<StoredSubscription>?
    private var pending: ListChange<PendingOrder>?
    private var notifications: ListChange<StoreNotification>?

    /// Creates the difference; nil for equal states. The seed and the app of a state never change.
    init?(from old: SimulatorState, to new: SimulatorState) {
        func changed<Value: Equatable>(_ path: KeyPath<SimulatorState, Value>) -> Value? {
            old[keyPath: path] == new[keyPath: path] ? nil : new[keyPath: path]
        }
        now = changed(\.now)
        settings = changed(\.settings)
        generator = changed(\.generator)
        lastNumber = changed(\.lastNumber)
        lastLineItem = changed(\.lastLineItem)
        accounts = ListChange(from: old.accounts, to: new.accounts) { $0.name.isIdentical(to: $1.name) }
        transactions = ListChange(from: old.transactions, to: new.transactions) { $0.number == $1.number }
        subscriptions = ListChange(from: old.subscriptions, to: new.subscriptions) {
            $0.originalNumber == $1.originalNumber
        }
        pending = ListChange(from: old.pending, to: new.pending) { $0.number == $1.number }
        notifications = ListChange(from: old.notifications, to: new.notifications, isConstant: true) {
            $0.id.isIdentical(to: $1.id)
        }
        if self == StateChange() { return nil }
    }

    private init() {}

    /// Applies the difference to the old state; returns false if it belongs to another state.
    func apply(to state: inout SimulatorState) -> Bool {
        if let now { state.now = now }
        if let settings { state.settings = settings }
        if let generator { state.generator = generator }
        if let lastNumber { state.lastNumber = lastNumber }
        if let lastLineItem { state.lastLineItem = lastLineItem }
        return accounts?.apply(to: &state.accounts) ?? true
            && transactions?.apply(to: &state.transactions) ?? true
            && subscriptions?.apply(to: &state.subscriptions) ?? true
            && pending?.apply(to: &state.pending) ?? true
            && notifications?.apply(to: &state.notifications) ?? true
    }
}

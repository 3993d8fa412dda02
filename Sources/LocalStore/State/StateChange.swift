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
        accounts = ListChange(from: old.accounts, to: new.accounts)
        transactions = ListChange(from: old.transactions, to: new.transactions)
        subscriptions = ListChange(from: old.subscriptions, to: new.subscriptions)
        pending = ListChange(from: old.pending, to: new.pending)
        notifications = ListChange(from: old.notifications, to: new.notifications, isConstant: true)
        if self == StateChange() { return nil }
    }

    private init() {}

    /// Applies the difference to the old state; returns false if it belongs to another state.
    func apply(to state: inout SimulatorState) -> Bool {
        applyValues(to: &state)
        return accounts?.apply(to: &state.accounts) ?? true
            && transactions?.apply(to: &state.transactions) ?? true
            && subscriptions?.apply(to: &state.subscriptions) ?? true
            && pending?.apply(to: &state.pending) ?? true
            && notifications?.apply(to: &state.notifications) ?? true
    }

    private func applyValues(to state: inout SimulatorState) {
        if let now { state.now = now }
        if let settings { state.settings = settings }
        if let generator { state.generator = generator }
        if let lastNumber { state.lastNumber = lastNumber }
        if let lastLineItem { state.lastLineItem = lastLineItem }
    }

    // MARK: Parts of a state

    /// Whether the step can be applied to a part of a state: it left the accounts as they were, and removed nothing but
    /// pending purchases.
    var appliesToPart: Bool {
        accounts == nil && ![transactions?.removesElements, subscriptions?.removesElements].contains(true)
            && notifications?.removesElements != true
    }

    /// Whether the step removed pending purchases.
    var removesPending: Bool { pending?.removesElements == true }

    /// The names of the accounts whose transactions, subscriptions or pending purchases the step added or changed.
    var concernedAccounts: [String] {
        func elements<Element>(_ change: ListChange<Element>?) -> [Element] {
            (change?.changed ?? []) + (change?.added ?? [])
        }
        return elements(transactions).map(\.account) + elements(subscriptions).map(\.account)
            + elements(pending).map(\.account)
    }

    /// Applies a difference to a part of the old state, which keeps no notifications.
    func apply(toPart state: inout SimulatorState, including isIncluded: (_ account: String) -> Bool) {
        applyValues(to: &state)
        transactions?.apply(toPart: &state.transactions) { isIncluded($0.account) }
        subscriptions?.apply(toPart: &state.subscriptions) { isIncluded($0.account) }
        pending?.apply(toPart: &state.pending) { isIncluded($0.account) }
    }
}

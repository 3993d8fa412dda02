internal import PurchaseCore
internal import ReceiptTypes

/// The App Store's rules, applied to a configuration and a state.
///
/// The engine is a value and has no clock, files, keys or randomness of its own: the same commands on the same state
/// have the same result. A command that throws can leave its work half done, so run commands on a copy, as
/// ``StoreSimulator/perform(with:_:)`` does.
///
/// ```swift
/// var engine = SimulatorEngine(configuration: configuration, state: state)
/// let answer = try engine.buy("com.example.pro.monthly", for: "customer")
/// try engine.advance(byMilliseconds: 32 * 86_400_000)
/// let events = engine.takeEvents()
/// ```
public struct SimulatorEngine: Sendable {
    /// The products on sale and their settings.
    public let configuration: StoreConfiguration
    /// The current state.
    public internal(set) var state: SimulatorState

    private var events: [StoreEvent] = []

    /// The maximum number of automatic renewals and expirations in one command.
    var eventLimit = 100_000

    /// Creates an engine.
    public init(configuration: StoreConfiguration, state: SimulatorState) {
        self.configuration = configuration
        self.state = state
    }

    /// Returns the events since the last call, in order.
    public mutating func takeEvents() -> [StoreEvent] {
        defer { events = [] }
        return events
    }

    /// Changes the settings from now on; a renewal that has already failed stays failed until billing recovers.
    public mutating func updateSettings(_ change: (inout StoreSettings) -> Void) {
        change(&state.settings)
    }

    mutating func emit(_ event: StoreEvent) {
        events.append(event)
    }
}

// MARK: - Look-up

extension SimulatorEngine {
    func account(_ name: String) throws(StoreSimulatorError) -> StoreAccount {
        guard let account = state.account(name) else {
            throw StoreSimulatorError(.unknownAccount, "there is no account \(name)")
        }
        return account
    }

    func product(_ id: String) throws(StoreSimulatorError) -> ConfiguredProduct {
        guard let product = configuration.product(id) else {
            throw StoreSimulatorError(.unknownProduct, "the store does not sell \(id)")
        }
        return product
    }

    func transactionIndex(_ id: String) throws(StoreSimulatorError) -> Int {
        guard let index = state.index(of: id) else {
            throw StoreSimulatorError(.unknownTransaction, "there is no transaction \(id)")
        }
        return index
    }

    /// Returns the customer's own subscription by any of its transactions; only the paying member manages a shared one.
    func subscriptionIndex(_ id: String) throws(StoreSimulatorError) -> Int {
        guard let index = state.subscriptionIndex(of: id) else {
            throw StoreSimulatorError(.unknownSubscription, "no subscription has a transaction \(id)")
        }
        guard state.subscriptions[index].sharedFrom == nil else {
            throw StoreSimulatorError(
                .invalidAction, "subscription \(id) is family-shared; only the paying member can manage it")
        }
        return index
    }

    /// Returns the customer's own subscription in a group.
    func ownSubscriptionIndex(of account: String, group: String) -> Int? {
        state.subscriptions.firstIndex {
            $0.sharedFrom == nil && $0.account.isIdentical(to: account) && $0.groupID.isIdentical(to: group)
        }
    }

    func requireRunning(_ index: Int) throws(StoreSimulatorError) {
        let subscription = state.subscriptions[index]
        guard subscription.isRunning else {
            throw StoreSimulatorError(.invalidAction, "subscription \(subscription.id) has ended")
        }
    }
}

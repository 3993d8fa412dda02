internal import ReceiptTypes

/// The rules of a store, over what it sells and what it remembers.
///
/// A value without a clock, files, keys or randomness of its own: the same commands over the same state have the same
/// outcome. A command that throws may have done a part of its work, so it is carried out on a copy, as ``LocalStore`` does.
///
/// ```swift
/// var engine = LocalStoreEngine(configuration: configuration, state: state)
/// let answer = try engine.buy("com.example.pro.monthly", for: "customer")
/// try engine.advance(by: 32 * 86_400_000)
/// let happened = engine.takeEvents()
/// ```
public struct LocalStoreEngine: Sendable {
    /// What the store sells.
    public let configuration: StoreConfiguration
    /// What the store remembers.
    public internal(set) var state: LocalStoreState

    private var events: [StoreEvent] = []

    /// The most that happens by itself in one command; a year of daily renewals of a hundred customers is less.
    var eventLimit = 100_000

    /// Puts configuration and state together.
    public init(configuration: StoreConfiguration, state: LocalStoreState) {
        self.configuration = configuration
        self.state = state
    }

    /// What has happened since the last call, in order.
    public mutating func takeEvents() -> [StoreEvent] {
        defer { events = [] }
        return events
    }

    /// Changes how the store behaves from now on. Renewals that failed so far stay failed until they are due again.
    public mutating func updateSettings(_ change: (inout StoreSettings) -> Void) {
        change(&state.settings)
    }

    mutating func note(_ event: StoreEvent) {
        events.append(event)
    }
}

// MARK: - Finding

extension LocalStoreEngine {
    func account(_ name: String) throws(LocalStoreError) -> StoreAccount {
        guard let account = state.account(name) else {
            throw LocalStoreError(.unknownAccount, "there is no account \(name)")
        }
        return account
    }

    func product(_ id: String) throws(LocalStoreError) -> ConfiguredProduct {
        guard let product = configuration.product(id) else {
            throw LocalStoreError(.unknownProduct, "the store does not sell \(id)")
        }
        return product
    }

    func transactionIndex(_ id: String) throws(LocalStoreError) -> Int {
        guard let index = state.index(of: id) else {
            throw LocalStoreError(.unknownTransaction, "there is no transaction \(id)")
        }
        return index
    }

    /// The subscription of any of its transactions; one that a family shares is managed by who pays for it.
    func subscriptionIndex(_ id: String) throws(LocalStoreError) -> Int {
        guard let index = state.subscriptionIndex(of: id) else {
            throw LocalStoreError(.unknownSubscription, "\(id) is no subscription's transaction")
        }
        guard state.subscriptions[index].sharedFrom == nil else {
            throw LocalStoreError(.invalidAction, "\(id) is a family member's; who pays for it manages it")
        }
        return index
    }

    /// A customer's own subscription in a group.
    func ownSubscriptionIndex(of account: String, group: String) -> Int? {
        state.subscriptions.firstIndex {
            $0.sharedFrom == nil && $0.account.isIdentical(to: account) && $0.groupID.isIdentical(to: group)
        }
    }

    func requireRunning(_ index: Int) throws(LocalStoreError) {
        let subscription = state.subscriptions[index]
        guard subscription.isRunning else {
            throw LocalStoreError(.invalidAction, "subscription \(subscription.id) is over")
        }
    }
}

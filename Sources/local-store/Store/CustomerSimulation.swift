internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// Simulates customers that buy, renew, cancel and request refunds at random, day by day.
///
/// The random numbers follow from a seed, so the same seed repeats the same simulation. Customers differ in how often
/// they buy. The store applies its own rules to each action and may reject it.
struct CustomerSimulation {
    /// How many actions the store accepted and how many it rejected.
    struct Counts {
        var accepted = 0
        var rejected = 0
    }

    private var engine: SimulatorEngine
    private var generator: SplitMix64
    private var customers: [Customer] = []
    /// How many transactions, from the first on, have been finished.
    private var finishedCount: Int
    /// The state of the days that are being simulated.
    private var stretch = Stretch()
    private(set) var counts = Counts()

    private let subscriptions: [String]
    private let otherProducts: [String]

    /// - Parameter names: The names of the customers to add; the store must not have them yet.
    init(_ engine: SimulatorEngine, seed: UInt64, customers names: [String]) throws(StoreSimulatorError) {
        self.engine = engine
        generator = SplitMix64(seed: seed)
        finishedCount = engine.state.transactions.count
        let products = engine.configuration.products
        subscriptions = products.filter { $0.subscription != nil }.map(\.id)
        otherProducts = products.filter { $0.subscription == nil }.map(\.id)
        for (index, name) in names.enumerated() {
            // Every fifth customer forms a family with the one before.
            let family = index % 5 == 4 ? "family of \(names[index - 1])" : nil
            try self.engine.addAccount(name, family: family)
            if let family { try self.engine.setFamily(family, of: names[index - 1]) }
            customers.append(Customer(name: name, seed: generator.next()))
        }
    }

    /// Simulates each day until `end` and returns the resulting engine.
    mutating func run(until end: Timestamp) throws(StoreSimulatorError) -> SimulatorEngine {
        var dayCount: Int64 = 1
        while engine.state.now < end {
            let hasRejections = try simulateStretch(
                until: min(end, engine.state.now.adding(milliseconds: dayCount * Self.day)))
            dayCount = hasRejections ? 1 : min(2 * dayCount, Self.maximumStretchDays)
        }
        return engine
    }

    // MARK: A stretch of days

    /// The rejected actions of some days, by their number in these days.
    ///
    /// A rejected action may leave the engine half changed. Copying the engine before each action would be slow, and
    /// rejections are rare. So days in which an action is rejected start again from a copy and skip that action.
    private struct Stretch {
        var rejected: Set<Int> = []
        var attempts = 0
        /// Whether an action was rejected since the days last started.
        var mustRestart = false
    }

    private static let day: Int64 = 86_400_000
    /// The first change after a copy copies the lists of the state, so a copy of each day would take longer than the
    /// day.
    private static let maximumStretchDays: Int64 = 32

    /// Simulates the days until an instant, and returns whether an action was rejected.
    private mutating func simulateStretch(until end: Timestamp) throws(StoreSimulatorError) -> Bool {
        let start = self
        repeat {
            let rejected = stretch.rejected
            self = start
            stretch = Stretch(rejected: rejected)
            while engine.state.now < end, !stretch.mustRestart {
                try engine.advance(to: min(end, engine.state.now.adding(milliseconds: Self.day)))
                for customer in customers where !stretch.mustRestart { simulate(customer) }
                finishNewTransactions()
                // No device of these customers waits for updates, and a year of events would be copied with the engine.
                _ = engine.takeEvents()
            }
        } while stretch.mustRestart
        let count = stretch.rejected.count
        counts.rejected += count
        stretch = Stretch()
        return count > 0
    }

    private struct Customer {
        let name: String
        let seed: UInt64

        /// The average number of days between purchases other than subscriptions: 1 to 7.
        var daysBetweenPurchases: Int { 1 + Int(seed % 7) }
    }

    private mutating func simulate(_ customer: Customer) {
        let running = engine.subscriptions(of: customer.name).last { $0.isRunning && !$0.isFamilyShared }
        if let running {
            simulate(running)
        } else if happens(onceIn: 10), let product = subscriptions.randomElement(using: &generator) {
            act { (engine) throws(StoreSimulatorError) in _ = try engine.buy(product, for: customer.name) }
        }
        if happens(onceIn: customer.daysBetweenPurchases), let product = otherProducts.randomElement(using: &generator)
        {
            act { (engine) throws(StoreSimulatorError) in _ = try engine.buy(product, for: customer.name) }
        }
        if happens(onceIn: 200) {
            let bought = engine.history(of: customer.name).last { !$0.isFamilyShared && !$0.isRevoked }
            if let bought { act { (engine) throws(StoreSimulatorError) in try engine.refund(bought.id) } }
        }
        for purchase in engine.state.pending where purchase.account.isIdentical(to: customer.name) {
            answer(purchase)
        }
    }

    /// Finishes the transactions that are new since the last call, as the customers' apps do.
    ///
    /// A transaction that changes later, for example by a refund, stays unfinished.
    private mutating func finishNewTransactions() {
        let new = engine.state.transactions[finishedCount...].map(\.id)
        for id in new { engine.finish(id) }
        finishedCount += new.count
    }

    private mutating func simulate(_ subscription: StoredSubscription) {
        let id = subscription.id
        if !subscription.willAutoRenew, happens(onceIn: 15) {
            act { (engine) throws(StoreSimulatorError) in try engine.resumeRenewal(id) }
        } else if subscription.willAutoRenew, happens(onceIn: 90) {
            act { (engine) throws(StoreSimulatorError) in try engine.cancelRenewal(id) }
        }
        if subscription.hasBillingIssue, happens(onceIn: 10) {
            act { (engine) throws(StoreSimulatorError) in try engine.setBillingIssue(false, id) }
        } else if !subscription.hasBillingIssue, happens(onceIn: 120) {
            act { (engine) throws(StoreSimulatorError) in try engine.setBillingIssue(true, id) }
        }
        let otherPlans = subscriptions.filter { !$0.isIdentical(to: subscription.productID) }
        if happens(onceIn: 100), let product = otherPlans.randomElement(using: &generator) {
            act { (engine) throws(StoreSimulatorError) in _ = try engine.changePlan(id, to: product) }
        }
    }

    private mutating func answer(_ purchase: PendingOrder) {
        let isApproved = !happens(onceIn: 3)
        act { (engine) throws(StoreSimulatorError) in
            switch (purchase.kind, isApproved) {
            case (.approval, true): _ = try engine.approve(purchase.id)
            case (.approval, false): try engine.decline(purchase.id)
            case (.interruption, true): _ = try engine.resolve(purchase.id)
            case (.interruption, false): try engine.abandon(purchase.id)
            }
        }
    }

    /// Performs an action unless it was rejected before in these days.
    private mutating func act(_ body: (inout SimulatorEngine) throws(StoreSimulatorError) -> Void) {
        stretch.attempts += 1
        guard !stretch.mustRestart, !stretch.rejected.contains(stretch.attempts) else { return }
        do throws(StoreSimulatorError) {
            try body(&engine)
            counts.accepted += 1
        } catch {
            stretch.rejected.insert(stretch.attempts)
            stretch.mustRestart = true
        }
    }

    /// Returns true with the probability of one in `count`.
    private mutating func happens(onceIn count: Int) -> Bool {
        Int.random(in: 0..<max(1, count), using: &generator) == 0
    }
}

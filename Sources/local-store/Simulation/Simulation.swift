internal import LocalStore
internal import ReceiptTypes

/// Customers who live with a store for a time, by chance that follows from a seed.
///
/// Each has a temper of their own, so that some buy every week and some once. Nothing here decides what the store answers:
/// what it refuses is refused, as for people.
struct Simulation {
    /// What was done and what was refused.
    struct Counts {
        var actions = 0
        var refusals = 0
    }

    private var engine: SimulatorEngine
    private var generator: SplitMix64
    private var customers: [Customer] = []
    private var finishedCount: Int
    private var day = Day()
    private(set) var counts = Counts()

    private let subscriptions: [String]
    private let others: [String]

    /// - Parameter names: What the customers are called, who must not be there yet.
    init(_ engine: SimulatorEngine, seed: UInt64, customers names: [String]) throws(StoreSimulatorError) {
        self.engine = engine
        generator = SplitMix64(seed: seed)
        finishedCount = engine.state.transactions.count
        let products = engine.configuration.products
        subscriptions = products.filter { $0.subscription != nil }.map(\.id)
        others = products.filter { $0.subscription == nil }.map(\.id)
        for (index, name) in names.enumerated() {
            // Every fifth customer shares with the one before.
            let family = index % 5 == 4 ? "family of \(names[index - 1])" : nil
            try self.engine.addAccount(name, family: family)
            if let family { try self.engine.setFamily(family, of: names[index - 1]) }
            customers.append(Customer(name: name, temper: generator.next()))
        }
    }

    /// Lets every customer live day by day until a time, and gives the engine as it is then.
    mutating func run(until end: Timestamp) throws(StoreSimulatorError) -> SimulatorEngine {
        while engine.state.now < end {
            let tomorrow = min(end, engine.state.now.adding(milliseconds: 86_400_000))
            try engine.advance(to: tomorrow)
            liveThroughDay()
        }
        return engine
    }

    // MARK: A day

    /// What is refused on a day, by the number of the attempt.
    ///
    /// A command that throws may have done a part of its work. Refusals are rare, and a copy of the store for each command
    /// is dear: so a day with a refusal begins again from its dawn, without what was refused.
    private struct Day {
        var refused: Set<Int> = []
        var attempts = 0
        var isSpoilt = false
    }

    private mutating func liveThroughDay() {
        let dawn = self
        repeat {
            let refused = day.refused
            self = dawn
            day = Day(refused: refused)
            for customer in customers where !day.isSpoilt { live(customer) }
        } while day.isSpoilt
        counts.refusals += day.refused.count
        day = Day()
        finish()
    }

    private struct Customer {
        let name: String
        let temper: UInt64

        /// How many days lie between two purchases of something small: 1 to 7.
        var daysBetweenPurchases: Int { 1 + Int(temper % 7) }
    }

    private mutating func live(_ customer: Customer) {
        let running = engine.subscriptions(of: customer.name).last { $0.isRunning && !$0.isFamilyShared }
        if let running {
            live(with: running, customer)
        } else if happens(onceIn: 10), let product = subscriptions.randomElement(using: &generator) {
            act { (engine) throws(StoreSimulatorError) in _ = try engine.buy(product, for: customer.name) }
        }
        if happens(onceIn: customer.daysBetweenPurchases), let product = others.randomElement(using: &generator) {
            act { (engine) throws(StoreSimulatorError) in _ = try engine.buy(product, for: customer.name) }
        }
        if happens(onceIn: 200) {
            let bought = engine.history(of: customer.name).last { !$0.isFamilyShared && !$0.isRevoked }
            if let bought { act { (engine) throws(StoreSimulatorError) in try engine.refund(bought.id) } }
        }
        for waiting in engine.state.pending where waiting.account.isIdentical(to: customer.name) {
            answer(waiting)
        }
    }

    /// Everybody's app deals with what is new; what is paid back later stays unfinished until a next launch.
    private mutating func finish() {
        let new = engine.state.transactions[finishedCount...].map(\.id)
        for id in new { engine.finish(id) }
        finishedCount += new.count
    }

    private mutating func live(with subscription: StoredSubscription, _ customer: Customer) {
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
        let others = subscriptions.filter { !$0.isIdentical(to: subscription.productID) }
        if happens(onceIn: 100), let product = others.randomElement(using: &generator) {
            act { (engine) throws(StoreSimulatorError) in _ = try engine.changePlan(id, to: product) }
        }
    }

    private mutating func answer(_ waiting: PendingOrder) {
        let isGood = !happens(onceIn: 3)
        act { (engine) throws(StoreSimulatorError) in
            switch (waiting.kind, isGood) {
            case (.approval, true): _ = try engine.approve(waiting.id)
            case (.approval, false): try engine.decline(waiting.id)
            case (.interruption, true): _ = try engine.resolve(waiting.id)
            case (.interruption, false): try engine.abandon(waiting.id)
            }
        }
    }

    /// Does something that the store may refuse.
    private mutating func act(_ body: (inout SimulatorEngine) throws(StoreSimulatorError) -> Void) {
        day.attempts += 1
        guard !day.isSpoilt, !day.refused.contains(day.attempts) else { return }
        do throws(StoreSimulatorError) {
            try body(&engine)
            counts.actions += 1
        } catch {
            day.refused.insert(day.attempts)
            day.isSpoilt = true
        }
    }

    private mutating func happens(onceIn count: Int) -> Bool {
        Int.random(in: 0..<max(1, count), using: &generator) == 0
    }
}

@testable import PurchaseCore

/// Two services over one ledger: the product's machine and rules, and everything that can happen around them.
///
/// A state has four parts: the rows of the ledger, the world and the two services. What a step makes of a part is
/// computed once, because the same parts meet in very many states.
struct PurchaseModel: Model {
    let scenario: Scenario
    let fault: Fault?
    private var ledgers = PartTable<ValueRows>()
    private var services = PartTable<Service>()
    private var requests = PartTable<LedgerRequest>()
    private var outcomes = PartTable<Outcome>()
    private var ledgerFacts: [LedgerFacts] = []
    private var serviceFacts: [ServiceFacts] = []
    private var commits: [UInt64: Commit] = [:]
    private var agedLedgers: [UInt64: UInt32] = [:]
    private var changedServices: [UInt64: UInt32] = [:]

    let initial: PackedState

    /// What a transaction makes of the rows of a ledger.
    private struct Commit {
        let ledger: UInt32
        let outcome: UInt32
        /// Whether it has ended a claim in force that is another service's.
        let endsClaim: Bool
    }

    init(_ scenario: Scenario, fault: Fault? = nil) {
        self.scenario = scenario
        self.fault = fault
        let ledger = ledgers.number(of: ValueRows())
        ledgerFacts.append(LedgerFacts(ValueRows()))
        let service = services.number(of: .started)
        serviceFacts.append(ServiceFacts(.started, &requests))
        initial = PackedState(ledger: ledger, world: scenario.world.bits, first: service, second: service)
    }

    /// The numbers of distinct ledgers and services.
    var partCounts: (ledgers: Int, services: Int) { (ledgers.parts.count, services.parts.count) }

    /// Returns the service with a number.
    func service(_ number: UInt32) -> Service { services[number] }

    private static let signatures: [(Sample.Version, World.Budget)] = [
        (.signedAgain, .signings), (.refunded, .refunds), (.restored, .reversals),
    ]

    // MARK: Steps

    mutating func appendSteps(of state: PackedState, to steps: inout [Successor]) {
        forEachStep(of: state) { _, _, step in
            // Which of the two services is the first one does not matter.
            var step = step
            if step.state.isSwapped { (step.state.first, step.state.second) = (step.state.second, step.state.first) }
            steps.append(step)
        }
    }

    /// Calls a function with each step of a state: which service takes it, what it is, and what follows, in which the
    /// services may have to be exchanged.
    mutating func forEachStep(of state: PackedState, _ body: (Place, Move, Successor) -> Void) {
        addMoves(of: .first, state, body)
        // Two services in the same state do the same.
        if state.first != state.second { addMoves(of: .second, state, body) }
        let world = World(bits: state.world)
        for item in scenario.items {
            for (version, budget) in Self.signatures
            where world[budget] > 0 && version.canFollow(world.version(of: item)) {
                var changed = world
                changed[budget] -= 1
                changed.sign(version, of: item)
                body(.outside, .sign(item, version), Successor(state: state.with(changed), isFair: false))
            }
            addAging(of: item, state, world, body)
        }
    }

    /// Adds the step in which the claim of a purchase runs out.
    ///
    /// That happens to the claim of a service that was killed. A service that has a claim and is not killed uses it in
    /// time, unless it is delayed. An order keeps its claim in force while it runs, because the claim is renewed.
    private mutating func addAging(
        of item: Item, _ state: PackedState, _ world: World, _ body: (Place, Move, Successor) -> Void
    ) {
        let claim = ledgerFacts[Int(state.ledger)][item]
        guard claim.isClaimed, let number = claim.claim?.number else { return }
        let services = [facts(state.first), facts(state.second)]
        guard !services.contains(where: { $0.ordered.contains(item) }) else { return }
        let isHeld = services.contains { $0.claimNumbers[item.rawValue] & (1 << UInt64(number)) != 0 }
        guard !isHeld || world[.delays] > 0 else { return }
        var changed = world
        if isHeld {
            changed[.delays] -= 1
            changed[isContested: item] = true
        }
        var next = state.with(changed)
        next.ledger = agedLedger(state.ledger, item)
        next.first = change(state.first, .age(item))
        next.second = change(state.second, .age(item))
        body(.outside, .age(item), Successor(state: next, isFair: !isHeld))
    }

    private mutating func addMoves(of place: Place, _ state: PackedState, _ body: (Place, Move, Successor) -> Void) {
        let service = place == .first ? state.first : state.second
        let facts = facts(service)
        let world = World(bits: state.world)
        guard facts.isRunning else {
            let next = state.with(change(service, .start), at: place)
            return body(place, .start, Successor(state: next, isFair: true))
        }
        for (index, effect) in facts.effects.enumerated() {
            addMoves(of: index, effect, place, state, world, body)
        }
        for item in scenario.items {
            if world.version(of: item) == nil {
                guard facts.user == .signedIn(Sample.buyer) else { continue }
                var changed = world
                changed.sign(.sold, of: item)
                let sample = Sample(item: item, version: .sold)
                let next = state.with(changed).with(change(service, .receive(sample, .purchase)), at: place)
                body(place, .buy(item), Successor(state: next, isFair: false))
            } else if let (sample, source) = delivery(of: item, world, state.ledger), !facts.ingested.contains(item) {
                // What the service is at work on is delivered again only a few times.
                let isNew = !facts.knows(sample)
                guard isNew || world[.redeliveries] > 0 else { continue }
                var changed = world
                if !isNew { changed[.redeliveries] -= 1 }
                let next = state.with(changed).with(change(service, .receive(sample, source)), at: place)
                body(place, .receive(sample, source), Successor(state: next, isFair: isNew))
            }
        }
        if world[.kills] > 0 {
            let next = state.with(world.killing(scenario.items)).with(change(service, .kill), at: place)
            body(place, .kill, Successor(state: next, isFair: false))
        }
        if facts.user != .signedIn(Sample.buyer) {
            let user = AppUser.signedIn(Sample.buyer)
            let next = state.with(change(service, .changeUser(user)), at: place)
            body(place, .changeUser(user), Successor(state: next, isFair: true))
        } else if world[.departures] > 0 {
            var changed = world
            changed[.departures] -= 1
            for user in [AppUser.signedOut, .signedIn(Sample.other)] {
                let next = state.with(changed).with(change(service, .changeUser(user)), at: place)
                body(place, .changeUser(user), Successor(state: next, isFair: false))
            }
        }
    }

    /// Returns what the store delivers of a purchase whenever it is asked.
    ///
    /// Its history is asked only for what the ledger does not have yet: a delivery of anything else changes nothing.
    private func delivery(of item: Item, _ world: World, _ ledger: UInt32) -> (Sample, DeliverySource)? {
        guard let version = world.version(of: item) else { return nil }
        let sample = Sample(item: item, version: version)
        if world[isUnfinished: item] { return (sample, .unfinished) }
        // The history has all purchases but finished consumables that were not refunded.
        guard item == .full || version == .refunded,
            ledgerFacts[Int(ledger)][item].stage(of: version) ?? .observed < .finished
        else { return nil }
        return (sample, .history)
    }

    // MARK: Effects

    /// What follows from an effect if it is done.
    private struct Deed {
        let index: Int
        let service: UInt32
        /// The state after the effect, with the service as it was before.
        var state: PackedState
        var world: World
        let outcome: UInt32
        var violation: String?
    }

    private mutating func addMoves(
        of index: Int, _ effect: ServiceFacts.Effect, _ place: Place, _ state: PackedState, _ world: World,
        _ body: (Place, Move, Successor) -> Void
    ) {
        let service = place == .first ? state.first : state.second
        var deed = Deed(
            index: index, service: service, state: state, world: world, outcome: outcomes.number(of: .done))
        switch effect {
        case .renewal: break
        case .deadline:
            guard world[.delays] > 0 else { return }
            var late = world
            late[.delays] -= 1
            let next = state.with(late).with(change(service, .take(index)), at: place)
            body(place, .take(index), Successor(state: next, isFair: false))
        case .arrival:
            let changed = change(service, .take(index))
            let violation = orderViolation(service, changed, state.ledger)
            let next = state.with(changed, at: place)
            body(place, .take(index), Successor(state: next, isFair: true, violation: violation))
        case .ledger(request: let request, item: let item, isRead: let isRead, isAbandoned: let isAbandoned):
            let commit = commit(request, item, state, place)
            deed = Deed(index: index, service: service, state: state, world: world, outcome: commit.outcome)
            deed.state.ledger = commit.ledger
            deed.violation = commit.endsClaim ? "a claim in force is ended by another service" : nil
            // It may end a claim that was renewed since.
            if isAbandoned { deed.world[isContested: item] = true }
            add(deed, item, place, body)
            if isAbandoned { return }
            let failure: Outcome = .ledgerFailed(.timedOut)
            addFaults(deed, item, failure, place, state, world, changesNothing: isRead, mayBeAbandoned: true, body)
        case .order(item: let item, amount: let amount, isBuyers: let isBuyers):
            deed = Deed(
                index: index, service: service, state: state, world: world,
                outcome: outcomes.number(of: fault?.orderOutcome ?? .done))
            deed.world[credited: item] = amount
            deed.world[mayRepeat: item] = false
            deed.violation = violation(ofOrder: amount, item, isBuyers: isBuyers, state, world)
            add(deed, item, place, body)
            addFaults(deed, item, .notFulfilled, place, state, world, mayBeAbandoned: false, body)
        case .finish(let sample, isAbandoned: let isAbandoned):
            deed.world.finish(sample)
            let stage = ledgerFacts[Int(state.ledger)][sample.item].stage(of: sample.version) ?? .observed
            if deed.world != world, stage < .granted {
                deed.violation = "a purchase is finished that is not recorded and granted"
            }
            add(deed, sample.item, place, body)
            if isAbandoned { return }
            addFaults(deed, sample.item, .notFinished, place, state, world, mayBeAbandoned: true, body)
        }
    }

    /// Adds the step in which an effect is done and its result arrives.
    private mutating func add(_ deed: Deed, _ item: Item, _ place: Place, _ body: (Place, Move, Successor) -> Void) {
        let changed = change(deed.service, .end(deed.index, deed.outcome))
        let violation = deed.violation ?? orderViolation(deed.service, changed, deed.state.ledger)
        let next = deed.state.with(deed.world).with(changed, at: place)
        body(place, .perform(deed.index), Successor(state: next, isFair: true, violation: violation))
    }

    /// Adds the steps in which an effect fails, or its result is late or lost.
    ///
    /// - Parameters:
    ///   - failure: What the service is told if the answer is lost.
    ///   - changesNothing: Whether it is only read, so that a kill or a loss has no more effect than one before it.
    ///   - mayBeAbandoned: Whether it may be done after the service was told that there is no answer.
    private mutating func addFaults(
        _ deed: Deed, _ item: Item, _ failure: Outcome, _ place: Place, _ state: PackedState, _ world: World,
        changesNothing: Bool = false, mayBeAbandoned: Bool, _ body: (Place, Move, Successor) -> Void
    ) {
        func add(_ move: Move, _ next: PackedState, _ violation: String? = nil) {
            body(place, move, Successor(state: next, isFair: false, violation: violation))
        }
        if world[.delays] > 0 {
            var late = deed.world
            late[.delays] -= 1
            let changed = change(deed.service, .delay(deed.index, deed.outcome))
            add(.delay(deed.index), deed.state.with(late).with(changed, at: place), deed.violation)
        }
        if world[.failures] > 0 {
            var failed = world
            failed[.failures] -= 1
            let outcome = if case .ledgerFailed = failure { Outcome.ledgerFailed(.notWritten) } else { failure }
            let changed = change(deed.service, .end(deed.index, outcomes.number(of: outcome)))
            add(.fail(deed.index), state.with(failed).with(changed, at: place))
        }
        if changesNothing { return }
        if world[.kills] > 0 {
            let killed = deed.world.killing(scenario.items)
            let changed = change(deed.service, .kill)
            add(.performAndKill(deed.index), deed.state.with(killed).with(changed, at: place), deed.violation)
        }
        guard world[.losses] > 0 else { return }
        var lost = deed.world
        lost[.losses] -= 1
        lost[mayRepeat: item] = true
        // Another service may give an order before this one learns what became of its own.
        if case .ledgerFailed = failure { lost[isContested: item] = true }
        let changed = change(deed.service, .end(deed.index, outcomes.number(of: failure)))
        add(.lose(deed.index), deed.state.with(lost).with(changed, at: place), deed.violation)
        guard mayBeAbandoned else { return }
        var abandoned = world
        abandoned[.losses] -= 1
        abandoned[mayRepeat: item] = true
        add(.abandon(deed.index), state.with(abandoned).with(change(deed.service, .abandon(deed.index)), at: place))
    }

    private func violation(
        ofOrder amount: World.Amount, _ item: Item, isBuyers: Bool, _ state: PackedState, _ world: World
    ) -> String? {
        if !isBuyers { return "a purchase is granted to another account" }
        if !ledgerFacts[Int(state.ledger)][item].isRecorded { return "a purchase is granted that is not recorded" }
        guard scenario.hasFulfiller, world[credited: item] == amount, !world[mayRepeat: item],
            !world[isContested: item]
        else { return nil }
        return "an order is carried out twice, without a kill, a lost answer or a claim that has run out in between"
    }

    /// Returns what is wrong with an order that a service has just given; nil if nothing is wrong or it has given none.
    private func orderViolation(_ before: UInt32, _ after: UInt32, _ ledger: UInt32) -> String? {
        let new = facts(after)
        if new.ordered.isEmpty { return nil }
        let old = facts(before)
        for item in scenario.items where new.ordered.contains(item) && !old.ordered.contains(item) {
            let claim = ledgerFacts[Int(ledger)][item]
            if let number = new.orderClaims[item], claim.isClaimed, claim.claim?.number != number {
                return "an order is given while another claim is in force"
            }
        }
        return nil
    }

    /// Makes a transaction over the ledger.
    private mutating func commit(_ request: UInt32, _ item: Item, _ state: PackedState, _ place: Place) -> Commit {
        // The lowest number that nothing knows: which one it is does not matter.
        var used = facts(state.first).claimNumbers[item.rawValue] | facts(state.second).claimNumbers[item.rawValue]
        if let claim = ledgerFacts[Int(state.ledger)][item].claim { used |= 1 << UInt64(claim.number) }
        let free = (~(used | 1)).trailingZeroBitCount
        let key = UInt64(state.ledger) << 32 | UInt64(request) << 8 | UInt64(free)
        if let known = commits[key] { return known }
        let before = ledgers[state.ledger]
        var rows = before
        rows.lastClaim = free - 1
        let outcome: Outcome
        do throws(LedgerError) {
            outcome = try Fault.perform(requests[request], on: &rows, hasFulfiller: scenario.hasFulfiller, fault)
        } catch {
            rows = before
            outcome = .ledgerFailed(error.code)
        }
        let old = ledgerFacts[Int(state.ledger)][item]
        let ledger = number(of: rows.canonical)
        let isLost = old.isClaimed && ledgerFacts[Int(ledger)][item].claim?.number != old.claim?.number
        let endsClaim = isLost && requests[request].claim?.number != old.claim?.number
        let commit = Commit(ledger: ledger, outcome: outcomes.number(of: outcome), endsClaim: endsClaim)
        commits[key] = commit
        return commit
    }

    // MARK: Parts

    private func facts(_ service: UInt32) -> ServiceFacts { serviceFacts[Int(service)] }

    private mutating func number(of rows: ValueRows) -> UInt32 {
        let number = ledgers.number(of: rows)
        if Int(number) == ledgerFacts.count { ledgerFacts.append(LedgerFacts(rows)) }
        return number
    }

    private mutating func agedLedger(_ ledger: UInt32, _ item: Item) -> UInt32 {
        let key = UInt64(ledger) << 8 | UInt64(item.rawValue)
        if let known = agedLedgers[key] { return known }
        var rows = ledgers[ledger]
        rows.age(item)
        let aged = number(of: rows)
        agedLedgers[key] = aged
        return aged
    }

    /// Something that changes a service.
    private enum Change {
        case start, kill
        case take(Int), abandon(Int)
        case end(Int, UInt32), delay(Int, UInt32)
        case receive(Sample, DeliverySource)
        case changeUser(AppUser)
        case age(Item)

        /// A number in 32 bits: the kind and up to two arguments.
        var code: UInt64 {
            switch self {
            case .start: 0
            case .kill: 1
            case .take(let index): 2 | UInt64(index) << 4
            case .abandon(let index): 3 | UInt64(index) << 4
            case .delay(let index, let outcome): 4 | UInt64(index) << 4 | UInt64(outcome) << 9
            case .end(let index, let outcome): 5 | UInt64(index) << 4 | UInt64(outcome) << 9
            case .receive(let sample, let source):
                6 | UInt64(sample.item.rawValue) << 4 | UInt64(sample.version.rawValue) << 8
                    | (source == .purchase ? 0 : source == .unfinished ? 1 : 2) << 12
            case .changeUser(let user): 7 | (user == .signedOut ? 0 : user == .signedIn(Sample.buyer) ? 1 : 2) << 4
            case .age(let item): 8 | UInt64(item.rawValue) << 4
            }
        }
    }

    private mutating func change(_ number: UInt32, _ change: Change) -> UInt32 {
        let key = UInt64(number) << 32 | change.code
        if let known = changedServices[key] { return known }
        var service = services[number]
        switch change {
        case .start: service = .started
        case .kill: service = .stopped
        case .take(let index): service.take(index)
        case .abandon(let index): service.abandon(index)
        case .delay(let index, let outcome): service.delay(index, outcomes[outcome])
        case .end(let index, let outcome): service.end(index, outcomes[outcome])
        case .receive(let sample, let source): service.receive(sample, from: source, fault)
        case .changeUser(let user): service.change(user)
        case .age(let item): service.age(item, fault)
        }
        let changed = services.number(of: service)
        if Int(changed) == serviceFacts.count { serviceFacts.append(ServiceFacts(service, &requests)) }
        changedServices[key] = changed
        return changed
    }

    // MARK: Invariants

    func violation(of state: PackedState) -> String? {
        let world = World(bits: state.world)
        for item in scenario.items {
            let facts = ledgerFacts[Int(state.ledger)][item]
            if let fault = facts.fault { return fault }
            if world.version(of: item) == nil, facts.isRecorded || facts.handedOver != .nothing {
                return "a purchase is recorded that was not sold"
            }
            if world.version(of: item) != nil, !world[isUnfinished: item], handedOver(item, state) == .nothing {
                return "a paid purchase is finished that is not handed over"
            }
        }
        return nil
    }

    /// What the customer has of a purchase.
    private func handedOver(_ item: Item, _ state: PackedState) -> World.Amount {
        scenario.hasFulfiller
            ? World(bits: state.world)[credited: item] : ledgerFacts[Int(state.ledger)][item].handedOver
    }

    // The last note in the ledger, that the store has finished the purchase, may be missing: the store says so too.
    func isSettled(_ state: PackedState) -> Bool {
        let world = World(bits: state.world)
        return scenario.items.allSatisfy { item in
            guard let version = world.version(of: item) else { return true }
            let facts = ledgerFacts[Int(state.ledger)][item]
            return !world[isUnfinished: item] && facts.handedOver == version.amount
                && handedOver(item, state) == version.amount && facts.stage(of: version) ?? .observed >= .granted
        }
    }
}

/// Which service takes a step.
enum Place {
    case first, second, outside
}

extension Sample.Version {
    /// Returns whether a store can sign this version after another one.
    fileprivate func canFollow(_ earlier: Sample.Version?) -> Bool {
        switch self {
        case .sold: earlier == nil
        case .signedAgain: earlier == .sold
        case .refunded: earlier == .sold || earlier == .signedAgain
        case .restored: earlier == .refunded
        }
    }
}

extension World {
    /// The world after a kill, after which each order may be repeated.
    fileprivate func killing(_ items: [Item]) -> World {
        var world = self
        world[.kills] -= 1
        for item in items { world[mayRepeat: item] = true }
        return world
    }
}

extension PackedState {
    fileprivate func with(_ world: World) -> PackedState {
        var state = self
        state.world = world.bits
        return state
    }

    /// The state with another service in place of one.
    fileprivate func with(_ service: UInt32, at place: Place) -> PackedState {
        var state = self
        if place == .first { state.first = service } else { state.second = service }
        return state
    }

    /// Whether the services are not in the order of their numbers.
    var isSwapped: Bool { first > second }
}

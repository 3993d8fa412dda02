@testable import PurchaseCore
@testable import ReceiptTypes

/// A service: the machine of its hand-overs and its effects in flight, or nothing while it does not run.
///
/// The machine is the product's. What surrounds it is kept as small as it can be: it verifies a delivery, decides
/// whether it is the present user's, records it with the product's rules and reports it to the machine.
struct Service: Hashable {
    /// The machine; nil if the service does not run.
    private(set) var machine: HandOvers?
    private(set) var flights: [Flight] = []

    /// The time at which everything happens: instead of time passing, claims become older.
    static let now = Timestamp(clamping: 2_000_000)

    /// A service that does not run.
    static let stopped = Service()

    /// A service that has just started.
    static let started = Service(
        machine: HandOvers(
            user: .signedIn(Sample.buyer), limits: .init(orderMilliseconds: 30_000, otherServiceMilliseconds: 50)))

    init(machine: HandOvers? = nil) { self.machine = machine }

    /// The user of the service.
    var user: AppUser { machine?.user ?? .signedOut }

    // MARK: Events

    /// Receives what the store delivers.
    mutating func receive(_ sample: Sample, from source: DeliverySource, _ fault: Fault?) {
        ingest(sample, from: source, for: nil)
        if fault?.finishes(isOwned: user == .signedIn(Sample.buyer)) ?? false {
            let id = HandOvers.EffectID(number: 0, subject: .purchase(sample.item.key))
            let work = HandOvers.Work.finish(transactionID: sample.item.transactionID)
            flights.append(Flight(work: .effect(id, work), finished: sample))
        }
        normalize()
    }

    /// Changes the user.
    mutating func change(_ user: AppUser) {
        handle(.userChanged(user))
        normalize()
    }

    /// An effect has an outcome, which is late.
    mutating func delay(_ index: Int, _ outcome: Outcome) {
        flights[index].stage = .ended(outcome)
        normalize()
    }

    /// An effect has an outcome, which arrives at once; of an abandoned one, nothing arrives.
    mutating func end(_ index: Int, _ outcome: Outcome) {
        let flight = flights.remove(at: index)
        if flight.stage != .abandoned { take(outcome, of: flight) }
        normalize()
    }

    /// The service is told that an effect has no answer; it may still be done.
    mutating func abandon(_ index: Int) {
        let flight = flights[index]
        flights[index].stage = .abandoned
        take(flight.request == nil ? .notFinished : .ledgerFailed(.timedOut), of: flight)
        normalize()
    }

    /// The time of a purchase's claims is over.
    mutating func age(_ item: Item, _ fault: Fault?) {
        for (index, flight) in flights.enumerated() where flight.item == item { flights[index] = flight.aged(fault) }
    }

    /// A late result of an effect arrives, or a timer fires.
    mutating func take(_ index: Int) {
        let flight = flights.remove(at: index)
        let outcome = if case .ended(let outcome) = flight.stage { outcome } else { Outcome.done }
        take(outcome, of: flight)
        normalize()
    }

    private mutating func take(_ outcome: Outcome, of flight: Flight) {
        switch flight.work {
        case .effect(let id, _):
            if let answer = outcome.answer { handle(.ended(id, answer)) }
        case .ingest(let sample, let source, isOwned: _, for: let id):
            switch outcome {
            case .recorded(stage: let stage, kept: let kept, let claim):
                guard let version = kept.recorded else { return }
                handle(.recorded(.init(sample.delivery, keptAs: version, from: source, stage: stage, claim: claim)))
                // The buyer waits for the hand-over.
                if source == .purchase {
                    handle(.waits(sample.item.rawValue, for: .attempts(version.key, isBuyer: true), within: nil))
                }
            case .ledgerFailed: handle(.notRecorded(sample.delivery, from: source, by: nil))
            default: if let id { handle(.ended(id, .rejected)) }
            }
        }
    }

    /// Gives an event to the machine, and notes its effects.
    private mutating func handle(_ event: HandOvers.Event) {
        for effect in machine?.handle(event, at: Self.now) ?? [] {
            switch effect.work {
            case .ledger, .fulfil: flights.append(Flight(work: .effect(effect.id, effect.work)))
            // The shell has only the id of the transaction, and the store ends the version that it has delivered. Here,
            // a finish ends the version that is handed over.
            case .finish:
                var attempt: HandOverAttempt?
                if case .purchase(let key) = effect.id.subject { attempt = machine?.purchases[key]?.attempt }
                let sample = attempt.flatMap { Sample($0.request.version.signed) }
                flights.append(Flight(work: .effect(effect.id, effect.work), finished: sample))
            // How long a timer runs does not matter: it can fire at any time.
            case .startTimer: flights.append(Flight(work: .effect(effect.id, .startTimer(milliseconds: 0))))
            case .cancelTimer(let id): flights.removeAll { $0.id == id }
            case .ingest(let delivery, from: let source, by: _):
                if let sample = Sample(delivery) { ingest(sample, from: source, for: effect.id) }
            case .cancelOrder, .answer, .log: break
            }
        }
    }

    /// Verifies a delivery, and decides whether it is the present user's.
    ///
    /// Both happen at once: before, the delivery has changed nothing, so a kill or a change of the user before it is
    /// the same as one before the delivery.
    private mutating func ingest(_ sample: Sample, from source: DeliverySource, for id: HandOvers.EffectID?) {
        let isOwned = user.mayOwn(Sample.transactions[sample.signedText]?.appAccountToken)
        if isOwned || user != .signedOut {
            flights.append(Flight(work: .ingest(sample, source, isOwned: isOwned, for: id)))
        } else if let id {
            // It names an account, so nothing is written while none is signed in.
            handle(.ended(id, .rejected))
        }
    }

    // MARK: Canonical form

    /// The numbers of the claims that the service still knows of a purchase, as bits.
    func claimNumbers(of item: Item) -> UInt64 {
        var claims: [FulfilmentClaim?] = []
        if let handOver = machine?.purchases[item.key] {
            claims += handOver.requests.map(\.claim)
            claims += [handOver.attempt?.request.claim, handOver.attempt?.step.claim]
            claims += [handOver.order?.claim, handOver.carriedOut?.claim]
        }
        for flight in flights where flight.item == item {
            claims.append(flight.request?.claim)
            if case .ended(let outcome) = flight.stage { claims.append(outcome.claim) }
        }
        return claims.reduce(0) { bits, claim in claim.map { bits | 1 << UInt64($0.number) } ?? bits }
    }

    /// The versions of a purchase that the service hands over or waits to hand over.
    func versions(of item: Item) -> [Sample.Version] {
        guard let machine else { return [] }
        var deliveries: [SignedTransaction?] = []
        if let handOver = machine.purchases[item.key] {
            deliveries += handOver.requests.map(\.version.signed)
            deliveries.append(handOver.attempt?.request.version.signed)
        }
        for retry in machine.retries.values where retry.turn != .stopped { deliveries.append(retry.subject.delivery) }
        return deliveries.compactMap { $0.flatMap { Sample($0) } }.filter { $0.item == item }.map(\.version)
    }

    /// Replaces the service by the one that stands for all that differ only in numbers and in what has no effect.
    private mutating func normalize() {
        guard let machine else { return }
        let held = machine.heldNumbers
        // A result that nothing waits for changes nothing.
        flights.removeAll { flight in
            guard let id = flight.id, !held.contains(id.number) else { return false }
            return flight.stage != .abandoned && flight.stage != .asked || flight.isTimer || flight.isRead
        }
        let others = flights.compactMap(\.id?.number).filter { !held.contains($0) }
        let order = held + others
        let numbers = Dictionary(order.enumerated().map { ($1, $0 + 1) }, uniquingKeysWith: { first, _ in first })
        self.machine = machine.renumbered(next: order.count + 1) { numbers[$0] ?? 0 }.withoutCounts
        flights = flights.map { $0.renumbered(numbers) }.sorted { $0.place < $1.place }
    }
}

extension Sample {
    /// The delivery and its transaction, as a service verifies it.
    fileprivate var recorded: RecordedDelivery? { Self.recordings[self] }
    private static let recordings = Dictionary(
        uniqueKeysWithValues: all.compactMap { sample in
            sample.transaction.map { (sample, RecordedDelivery(sample.delivery, $0)) }
        })
}

extension HandOvers {
    /// The numbers of the effects that the machine waits for, in the order of what it holds.
    fileprivate var heldNumbers: [Int] {
        var numbers: [Int] = []
        for item in Item.allCases {
            guard let handOver = purchases[item.key] else { continue }
            if let attempt = handOver.attempt {
                numbers.append(attempt.step.effect.number)
                if let patience = attempt.patience, !attempt.isPatienceOver { numbers.append(patience.number) }
            }
            if let order = handOver.order {
                numbers.append(order.step.effect.number)
                if let renewal = order.renewal { numbers.append(renewal.number) }
            }
        }
        let turns = retries.map { ("\($1.subject.delivery.signedText) \($1.subject.version == nil)", $1.turn) }
        for (_, turn) in turns.sorted(by: { $0.0 < $1.0 }) {
            switch turn {
            case .waiting(let id), .taken(let id): numbers.append(id.number)
            case .stopped: break
            }
        }
        return numbers
    }

    /// The same state without the counts that only decide how long a timer runs.
    fileprivate var withoutCounts: Self {
        var machine = self
        for key in retries.keys { machine.retries[key]?.failures = 1 }
        for (key, handOver) in purchases {
            guard let attempt = handOver.attempt else { continue }
            machine.purchases[key]?.attempt?.pauses = min(attempt.pauses, 1)
            if attempt.isPatienceOver { machine.purchases[key]?.attempt?.patience = nil }
        }
        return machine
    }
}

extension Flight {
    fileprivate var isRead: Bool { if case .effect(_, .ledger(.read)) = work { true } else { false } }

    /// Effects of the machine by their numbers, then ingests by purchase and version.
    fileprivate var place: Int {
        switch work {
        case .effect(let id, _): id.number
        case .ingest(let sample, _, isOwned: _, for: let id):
            1_000 + (id?.number ?? 0) * 100 + sample.item.rawValue * 10 + Int(sample.version.rawValue)
        }
    }

    fileprivate func renumbered(_ numbers: [Int: Int]) -> Flight {
        func renamed(_ id: HandOvers.EffectID) -> HandOvers.EffectID {
            HandOvers.EffectID(number: numbers[id.number] ?? 0, subject: id.subject)
        }
        var flight = self
        switch work {
        case .effect(let id, let work): flight.work = .effect(renamed(id), work)
        case .ingest(let sample, let source, isOwned: let isOwned, for: let id):
            flight.work = .ingest(sample, source, isOwned: isOwned, for: id.map(renamed))
        }
        return flight
    }
}

extension HandOverAttempt.Step {
    fileprivate var claim: FulfilmentClaim? {
        switch self {
        case .reading(_, under: let claim): claim
        case .marking(_, under: let claim): claim
        default: nil
        }
    }
}

import LedgerConformance
import ReceiptTypes
import Testing

@testable import PurchaseCore

/// A machine of hand-overs over the rows of a ledger, whose effects a test performs one by one.
struct HandOverTrial {
    private(set) var machine: HandOvers
    private(set) var rows: InMemoryRows
    /// The effects that have not ended.
    private(set) var open: [HandOvers.Effect] = []
    /// The orders that were given, the last one at the end.
    private(set) var orders: [FulfilmentOrder] = []
    private(set) var finished: [String] = []
    private(set) var answers: [Int: Bool] = [:]
    private(set) var logged: [PurchaseLogEvent.Kind] = []
    var now = at(0)
    /// The transactions that the verifier knows, by text.
    private var transactions: [String: Transaction] = [:]

    init(_ rows: InMemoryRows = InMemoryRows(), user: AppUser = .noAccounts) {
        self.rows = rows
        machine = HandOvers(
            user: user, limits: HandOvers.Limits(orderMilliseconds: 30_000, otherServiceMilliseconds: 60_000))
    }

    // MARK: Events

    mutating func send(_ event: HandOvers.Event) {
        for effect in machine.handle(event, at: now) {
            switch effect.work {
            case .log(let event): logged.append(event.kind)
            case .answer(let waiter, let isDone): answers[waiter] = isDone
            case .cancelTimer(let timer): open.removeAll { $0.id == timer }
            default: open.append(effect)
            }
            if case .fulfil(let order) = effect.work { orders.append(order) }
            if case .finish(let id) = effect.work { finished.append(id) }
        }
    }

    /// Records a delivery in the rows, as the service does, and tells the machine.
    mutating func deliver(
        _ delivery: Delivery, from source: DeliverySource = .update, for account: UUIDText? = nil
    ) throws {
        transactions[delivery.text] = delivery.transaction
        let entry = try rows.observe(delivery.signed, from: source, at: now)
        if entry.stage < .verified {
            _ = try rows.markVerified(delivery.transaction, signedText: delivery.text)
        }
        let outcome = try rows.record(delivery.transaction, signedText: delivery.text, for: account, at: now)
        var claim: FulfilmentClaim?
        if outcome != .unchanged {
            claim = try rows.beginHandOver(
                of: delivery.transaction, signedText: delivery.text, hasFulfiller: true, from: now)
        }
        send(
            .recorded(
                HandOvers.Recorded(
                    delivery.signed, keptAs: RecordedDelivery(delivery.signed, delivery.transaction), from: source,
                    stage: entry.stage, claim: claim)))
    }

    // MARK: Effects

    /// The effect of a kind that has not ended and was asked for first.
    func effect(_ isWanted: (HandOvers.Work) -> Bool) throws -> HandOvers.Effect {
        try #require(open.first { isWanted($0.work) })
    }

    /// Ends an effect with an answer.
    mutating func end(_ effect: HandOvers.Effect, _ answer: HandOvers.Answer) {
        open.removeAll { $0.id == effect.id }
        send(.ended(effect.id, answer))
    }

    /// Makes the change of a step of the ledger, and returns its answer without passing it on.
    mutating func answer(to work: HandOvers.LedgerWork) -> HandOvers.Answer {
        do throws(LedgerError) {
            switch work {
            case .read(let key):
                let stored = try rows.purchase(key)
                let versions = stored.entries.map { RecordedVersion($0, transactions[$0.transaction.signedText]) }
                return .read(
                    PurchaseVersions(versions: versions, handedOver: stored.handedOver, claim: stored.claim))
            case .claim(let key): return .claim(try rows.claimFulfilment(of: key, from: now))
            case .renew(let claim): return .claim(try rows.renew(claim, from: now))
            case .release(let claim): try rows.release(claim)
            case .markGranted(let version, let amount, under: let claim):
                try rows.markGranted(version, amount, under: claim)
            case .markFinished(let version): try rows.markFinished(version)
            }
            return .done
        } catch {
            return .ledgerFailed(error)
        }
    }

    /// Performs the steps of the ledger until none is open, except those that a test wants to hold.
    mutating func runLedger(holding isHeld: (HandOvers.LedgerWork) -> Bool = { _ in false }) {
        while let effect = open.first(where: { effect in
            if case .ledger(let work) = effect.work { !isHeld(work) } else { false }
        }), case .ledger(let work) = effect.work {
            end(effect, answer(to: work))
        }
    }

    /// Performs everything but timers until nothing else is open.
    mutating func run() {
        while true {
            runLedger()
            guard let effect = open.first(where: { $0.work.isOfStoreOrFulfiller }) else { return }
            end(effect, .done)
        }
    }

    /// Fires the timer with a length that was started first.
    mutating func fire(_ milliseconds: Int64) throws {
        let timer = try effect { $0 == .startTimer(milliseconds: milliseconds) }
        end(timer, .done)
    }

    /// The lengths of the timers that run.
    var timers: [Int64] {
        open.compactMap { if case .startTimer(let milliseconds) = $0.work { milliseconds } else { nil } }
    }

    /// Ends the service, and returns one with a new machine over the same rows.
    func killed() -> HandOverTrial {
        var next = HandOverTrial(rows)
        next.transactions = transactions
        next.now = now
        return next
    }

    /// Makes changes of another service.
    mutating func changeRows(_ change: (inout InMemoryRows) throws -> Void) rethrows { try change(&rows) }

    func stage(of delivery: Delivery) throws -> DeliveryStage? {
        try rows.entries().first { $0.transaction.signedText == delivery.text }?.stage
    }
}

extension HandOvers.Work {
    var isOrder: Bool { if case .fulfil = self { true } else { false } }
    var isFinish: Bool { if case .finish = self { true } else { false } }
    var isIngest: Bool { if case .ingest = self { true } else { false } }
    var isCancelledOrder: Bool { if case .cancelOrder = self { true } else { false } }
    fileprivate var isOfStoreOrFulfiller: Bool { isOrder || isFinish }
}

extension HandOvers.LedgerWork {
    var isMark: Bool { if case .markGranted = self { true } else { false } }
    var isRead: Bool { if case .read = self { true } else { false } }
}

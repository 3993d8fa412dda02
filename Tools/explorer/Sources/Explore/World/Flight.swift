@testable import PurchaseCore
@testable import ReceiptTypes

/// A transaction over the ledger that a service asks for.
enum LedgerRequest: Hashable {
    /// A step of the machine.
    case step(HandOvers.LedgerWork)
    /// A claim or a renewal that was asked for longer ago than a claim lasts.
    case lateStep(HandOvers.LedgerWork)
    /// A delivery is recorded, and its hand-over begins.
    case record(Sample)
    /// A delivery of another user is kept as verified.
    case keep(Sample)

    /// The claim under which it is asked for.
    var claim: FulfilmentClaim? {
        switch self {
        case .step(.renew(let claim)), .lateStep(.renew(let claim)), .step(.release(let claim)),
            .step(.markGranted(_, _, under: let claim)):
            claim
        case .step, .lateStep, .record, .keep: nil
        }
    }
}

/// An effect of a service that has not ended.
struct Flight: Hashable {
    enum Work: Hashable {
        /// An effect of the machine.
        case effect(HandOvers.EffectID, HandOvers.Work)
        /// The ingest of a delivery, and the effect of the machine that has asked for it.
        case ingest(Sample, DeliverySource, isOwned: Bool, for: HandOvers.EffectID?)
    }

    /// How far an effect is.
    enum Stage: Hashable {
        /// It is asked for and not done.
        case asked
        /// It is done or has failed, and its result is on the way. The outcome has a number, see ``PartTable``.
        case ended(Outcome)
        /// The service was told that there is no answer; it may still be done.
        case abandoned
    }

    var work: Work
    var stage = Stage.asked
    /// The version that the store is to finish; nil if it is something else.
    var finished: Sample?
    /// Whether it waits in a queue for longer than a claim lasts. Noted only of what a planted fault dates by it.
    var isLate = false

    /// The id of the effect of the machine.
    var id: HandOvers.EffectID? {
        switch work {
        case .effect(let id, _): id
        case .ingest(_, _, isOwned: _, for: let id): id
        }
    }

    /// The transaction over the ledger; nil if it is something else.
    var request: LedgerRequest? {
        switch work {
        case .effect(_, .ledger(let step)): isLate ? .lateStep(step) : .step(step)
        case .effect: nil
        case .ingest(let sample, _, isOwned: let isOwned, for: _): isOwned ? .record(sample) : .keep(sample)
        }
    }

    /// The purchase that it belongs to; nil if it is the timer of a retry.
    var item: Item? {
        switch work {
        case .effect(let id, _): if case .purchase(let key) = id.subject { Item(key) } else { nil }
        case .ingest(let sample, _, isOwned: _, for: _): sample.item
        }
    }

    /// The same effect when the claim that it has read is older than it can be.
    ///
    /// - Parameter fault: The planted fault, which can depend on when the effect was asked for.
    func aged(_ fault: Fault?) -> Flight {
        if stage != .asked || fault != .claimDatedWhenAsked { return agedResult }
        switch work {
        case .effect(_, .ledger(.claim)), .effect(_, .ledger(.renew)):
            var flight = self
            flight.isLate = true
            return flight
        default: return self
        }
    }

    private var agedResult: Flight {
        guard case .ended(.read(let purchase)) = stage, let claim = purchase.claim, !claim.isReleased else {
            return self
        }
        var flight = self
        flight.stage = .ended(
            .read(PurchaseVersions(versions: purchase.versions, handedOver: purchase.handedOver, claim: claim.aged)))
        return flight
    }

    var isTimer: Bool { if case .effect(_, .startTimer) = work { true } else { false } }
}

/// The result of an effect.
enum Outcome: Hashable {
    case done
    case read(PurchaseVersions)
    case claim(FulfilmentClaim?)
    /// A delivery is recorded; it had a stage before, and the ledger keeps it under a text.
    case recorded(stage: DeliveryStage, kept: Sample, FulfilmentClaim?)
    /// A delivery is kept for another user, or contradicts a recorded one.
    case notOwned
    case ledgerFailed(LedgerError.Code)
    case notFulfilled
    case notFinished

    /// The claim in the result.
    var claim: FulfilmentClaim? {
        switch self {
        case .claim(let claim), .recorded(stage: _, kept: _, let claim): claim
        case .read(let purchase): purchase.claim
        case .done, .notOwned, .ledgerFailed, .notFulfilled, .notFinished: nil
        }
    }

    /// The answer to the machine; nil if the result belongs to an ingest.
    var answer: HandOvers.Answer? {
        switch self {
        case .done: .done
        case .read(let purchase): .read(purchase)
        case .claim(let claim): .claim(claim)
        case .ledgerFailed(let code): .ledgerFailed(LedgerError(code, "the ledger fails"))
        case .notFulfilled: .notFulfilled("the fulfiller fails")
        case .notFinished: .notFinished(StoreError(.timedOut, "the store fails"))
        case .recorded, .notOwned: nil
        }
    }
}

internal import ReceiptTypes

/// The hand-over of one purchase: the deliveries that wait for it, the present attempt, and the order of the fulfiller.
struct HandOver: Sendable, Hashable {
    /// The deliveries that wait, in the order in which they were recorded.
    var requests: [HandOverRequest] = []
    var attempt: HandOverAttempt?
    /// The order that the fulfiller has not answered, or whose answer is not recorded. It can outlast its attempt.
    var order: RunningOrder?
    /// The order that was carried out and is not recorded.
    var carriedOut: CarriedOutOrder?

    /// Whether a delivery is handed over or waits for it.
    var isRunning: Bool { attempt != nil || !requests.isEmpty }
}

/// A recorded delivery that is to be handed over.
struct HandOverRequest: Sendable, Hashable {
    let version: RecordedDelivery
    var source: DeliverySource
    /// Whether the store lists the transaction as unfinished although it was finished: it has missed the call.
    let isListedAgain: Bool
    /// The claim that was made when the delivery was recorded.
    var claim: FulfilmentClaim?
}

/// One attempt to hand a delivery over.
struct HandOverAttempt: Sendable, Hashable {
    /// What the attempt waits for.
    enum Step: Sendable, Hashable {
        /// The purchase is read; under a claim, it stays as it is read.
        case reading(HandOvers.EffectID, under: FulfilmentClaim?)
        /// The claim of an order that was carried out is renewed.
        case renewing(HandOvers.EffectID)
        case claiming(HandOvers.EffectID)
        /// The pause for another service that has the claim.
        case waitingForOther(HandOvers.EffectID)
        /// The running order, until a timer fires.
        case ordering(deadline: HandOvers.EffectID)
        case marking(HandOvers.EffectID, under: FulfilmentClaim)
        /// A claim is released; then the purchase is read again, or the attempt has failed.
        case releasing(HandOvers.EffectID, readsAgain: Bool)
        case finishing(HandOvers.EffectID)
        case markingFinished(HandOvers.EffectID)

        /// The effect whose result is the next step.
        var effect: HandOvers.EffectID {
            switch self {
            case .reading(let id, under: _), .renewing(let id), .claiming(let id), .waitingForOther(let id),
                .ordering(let id), .marking(let id, under: _), .releasing(let id, readsAgain: _), .finishing(let id),
                .markingFinished(let id):
                id
            }
        }
    }

    var request: HandOverRequest
    var step: Step
    /// The number of claims that were asked for.
    var rounds = 0
    /// Whether the ledger's amount decides, and not only the stage of the delivery: an order has ended, or a claim was
    /// lost, and the purchase may have been refunded meanwhile.
    var checksAmount = false
    /// Whether another service has handed the purchase over meanwhile, so that what is due is not what it was.
    var hasLostClaim = false
    /// The number of pauses for another service that has the claim.
    var pauses = 0
    /// The timer until which the attempt waits for another service; nil before it does.
    var patience: HandOvers.EffectID?
    /// Whether that timer has fired.
    var isPatienceOver = false
}

/// An order that has not ended.
struct RunningOrder: Sendable, Hashable {
    enum Step: Sendable, Hashable {
        case calling(HandOvers.EffectID)
        case marking(HandOvers.EffectID)
        case releasing(HandOvers.EffectID)

        var effect: HandOvers.EffectID {
            switch self {
            case .calling(let id), .marking(let id), .releasing(let id): id
            }
        }
    }

    /// The version that the order is for, which says how many items are granted.
    let version: RecordedDelivery
    let amount: FulfilledAmount
    let claim: FulfilmentClaim
    var step: Step
    /// The timer before the next renewal of the claim, or the renewal; nil if another claim has replaced it.
    var renewal: HandOvers.EffectID?
    /// Whether the renewal is asked for, and not its timer.
    var isRenewing = false
}

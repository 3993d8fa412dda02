internal import ReceiptTypes

extension HandOvers {
    /// The largest number of claims in one attempt; usually there is one.
    private static let maximumRounds = 20
    /// The pauses in which another service may hand the purchase over, from a twentieth of a second to a second.
    private static let otherServicePauses = BackoffSchedule(
        firstMilliseconds: 50, longestMilliseconds: 1_000, jitterPercent: 0)

    // MARK: Requests

    /// Hands a recorded delivery over, if that is left to do.
    mutating func accept(_ recorded: Recorded, at now: Timestamp) {
        let version = recorded.version
        moveRetry(of: recorded.delivery, to: version)
        // An attempt that failed to finish the transaction is made up for, wherever the transaction comes from now.
        let source = finishingSource(of: version, recorded.source)
        let isListedAgain = recorded.stage == .finished && source == .unfinished
        guard recorded.stage < .granted || isListedAgain || source.awaitsFinish && recorded.stage < .finished else {
            endRetry(RetryKey(version), isHandedOver: true)
            return
        }
        enqueue(
            HandOverRequest(version: version, source: source, isListedAgain: isListedAgain, claim: recorded.claim),
            at: now)
    }

    /// Returns the source of the retry of a version if that one also finishes it, or else the given one.
    private func finishingSource(of version: RecordedDelivery, _ source: DeliverySource) -> DeliverySource {
        guard let retry = retries[RetryKey(version)], retry.source.awaitsFinish else { return source }
        return retry.source
    }

    mutating func enqueue(_ request: HandOverRequest, at now: Timestamp) {
        let key = request.version.key
        var requests = purchases[key]?.requests ?? []
        let text = request.version.signed.signedText
        if let index = requests.firstIndex(where: { $0.version.signed.signedText.isIdentical(to: text) }) {
            // Of two requests for one delivery, the one that also finishes is kept.
            if !requests[index].source.awaitsFinish || request.isListedAgain {
                let claim = request.claim ?? requests[index].claim
                requests[index] = request
                requests[index].claim = claim
            }
        } else {
            requests.append(request)
        }
        purchases[key, default: HandOver()].requests = requests
        beginNext(key)
    }

    /// Begins the next attempt to hand a purchase over; without one, tells the callers that wait.
    private mutating func beginNext(_ key: PurchaseKey) {
        guard let known = purchases[key], known.attempt == nil else { return }
        guard var request = known.requests.first else {
            if known.order == nil, known.carriedOut == nil { purchases[key] = nil }
            return
        }
        purchases[key]?.requests.removeFirst()
        // The attempt before this one has failed to finish the transaction. A request that need not finish it, such as
        // one from a refresh, must not count as its success.
        request.source = finishingSource(of: request.version, request.source)
        if let claim = request.claim { purchases[key]?.carriedOut?.take(claim) }
        let reading = emit(.ledger(.read(key)), for: .purchase(key))
        purchases[key]?.attempt = HandOverAttempt(request: request, step: .reading(reading, under: request.claim))
    }

    /// Ends the present attempt.
    private mutating func endAttempt(_ key: PurchaseKey, isHandedOver: Bool, followsOtherService: Bool = false) {
        guard let attempt = purchases[key]?.attempt else { return }
        let (version, source) = (attempt.request.version, attempt.request.source)
        if let patience = attempt.patience, !attempt.isPatienceOver { emit(.cancelTimer(patience)) }
        purchases[key]?.attempt = nil
        if isHandedOver {
            endRetry(RetryKey(version), isHandedOver: true)
        } else {
            retryLater(.version(version), from: source, by: nil, followsOtherService: followsOtherService)
        }
        beginNext(key)
        if !isRunning(key) { answerWaits(for: key, version.transaction.productID) }
    }

    // MARK: Steps

    /// Takes the result of an effect of a purchase; one that nothing waits for any more changes nothing.
    mutating func proceed(_ key: PurchaseKey, _ id: EffectID, _ answer: Answer, at now: Timestamp) {
        if let order = purchases[key]?.order {
            if order.renewal == id { return renew(order, key, answer) }
            if order.step.effect == id { return proceed(order, key, answer) }
        }
        guard let attempt = purchases[key]?.attempt else { return }
        if attempt.patience == id {
            purchases[key]?.attempt?.isPatienceOver = true
            if case .waitingForOther = attempt.step { read(key, under: nil) }
            return
        }
        guard attempt.step.effect == id else { return }
        switch (attempt.step, answer) {
        case (.reading(_, under: let claim), .read(let purchase)):
            decide(attempt, key, purchase, under: claim, at: now)
        case (.reading(_, under: let claim), .ledgerFailed(let error)): fail(attempt, key, error, under: claim)
        case (.renewing, .claim(let claim?)), (.claiming, .claim(let claim?)): read(key, under: claim)
        case (.renewing, .claim(nil)): claim(key)
        case (.claiming, .claim(nil)): waitForOther(attempt, key)
        case (.waitingForOther, .done): read(key, under: nil)
        case (.ordering, .done): giveUpWaiting(attempt, key)
        case (.marking, .done):
            purchases[key]?.carriedOut = nil
            purchases[key]?.attempt?.checksAmount = true
            read(key, under: nil)
        case (.marking(_, under: let claim), .ledgerFailed(let error)): fail(attempt, key, error, under: claim)
        case (.releasing(_, let readsAgain), _):
            if case .ledgerFailed(let error) = answer { log(.ledgerFailed, attempt.request.version.signed, error) }
            if readsAgain { read(key, under: nil) } else { endAttempt(key, isHandedOver: false) }
        case (.finishing, .done):
            move(key, .markingFinished(emit(.ledger(.markFinished(attempt.request.version)), for: .purchase(key))))
        case (.finishing, .notFinished(let error)):
            log(.notFinished, attempt.request.version.signed, error)
            endAttempt(key, isHandedOver: false)
        case (.markingFinished, .done): endAttempt(key, isHandedOver: true)
        case (_, .ledgerFailed(let error)): fail(attempt, key, error, under: nil)
        default: break
        }
    }

    private mutating func move(_ key: PurchaseKey, _ step: HandOverAttempt.Step) {
        purchases[key]?.attempt?.step = step
    }

    private mutating func read(_ key: PurchaseKey, under claim: FulfilmentClaim?) {
        if let claim { purchases[key]?.carriedOut?.take(claim) }
        move(key, .reading(emit(.ledger(.read(key)), for: .purchase(key)), under: claim))
    }

    /// Decides what follows from what the ledger has of a purchase.
    private mutating func decide(
        _ attempt: HandOverAttempt, _ key: PurchaseKey, _ purchase: PurchaseVersions, under claim: FulfilmentClaim?,
        at now: Timestamp
    ) {
        let version = attempt.request.version
        guard let stage = purchase.stage(of: version), let required = purchase.requiredOrder(for: version) else {
            let error = LedgerError(.outOfOrder, "the entry to hand over is missing")
            return fail(attempt, key, error, under: claim)
        }
        if let claim {
            // The claim that was made with the record, while an order of an earlier version still runs.
            if purchases[key]?.order != nil { return waitForOrder(key) }
            if required.isDue(after: purchases[key]?.carriedOut, under: claim) {
                guard let held = purchase.claim, held.number == claim.number, held.isInForce(at: now) else {
                    // The answer was late: another service may have the purchase by now.
                    return renew(claim, key)
                }
                return order(required, key, under: claim)
            }
            let work = LedgerWork.markGranted(version, required.order.amount, under: claim)
            return move(key, .marking(emit(.ledger(work), for: .purchase(key)), under: claim))
        }
        let isOpen = purchases[key]?.carriedOut != nil || attempt.checksAmount && !required.isRecorded
        if stage >= .granted, !isOpen {
            guard attempt.request.source.awaitsFinish, stage < .finished || attempt.request.isListedAgain else {
                return endAttempt(key, isHandedOver: true)
            }
            let work = Work.finish(transactionID: version.transaction.id)
            return move(key, .finishing(emit(work, for: .purchase(key))))
        }
        // An order that has passed its deadline can still succeed; a second one at the same time could grant twice.
        if purchases[key]?.order != nil { return waitForOrder(key) }
        let kept = purchases[key]?.carriedOut?.claim
        if let other = purchase.claim, other.isInForce(at: now), other.number != kept?.number {
            return waitForOther(attempt, key)
        }
        guard attempt.rounds < Self.maximumRounds else {
            log(.notFulfilled, version.signed, "the ledger does not keep what was handed over")
            return endAttempt(key, isHandedOver: false)
        }
        purchases[key]?.attempt?.rounds += 1
        guard let kept else { return self.claim(key) }
        renew(kept, key)
    }

    /// Renews a claim before the purchase is read under it.
    private mutating func renew(_ claim: FulfilmentClaim, _ key: PurchaseKey) {
        move(key, .renewing(emit(.ledger(.renew(claim)), for: .purchase(key))))
    }

    private mutating func claim(_ key: PurchaseKey) {
        move(key, .claiming(emit(.ledger(.claim(key)), for: .purchase(key))))
    }

    /// Leaves the purchase to another service, which has claimed it. The buyer waits for what becomes of it.
    private mutating func waitForOther(_ attempt: HandOverAttempt, _ key: PurchaseKey) {
        let isAwaited = waits.values.contains { $0.target == .attempts(key, isBuyer: true) }
        guard isAwaited, !attempt.isPatienceOver else {
            log(.notFulfilled, attempt.request.version.signed, "another service is handing the purchase over")
            return endAttempt(key, isHandedOver: false, followsOtherService: true)
        }
        if attempt.patience == nil {
            let patience = emit(.startTimer(milliseconds: limits.otherServiceMilliseconds), for: .purchase(key))
            purchases[key]?.attempt?.patience = patience
        }
        purchases[key]?.attempt?.pauses += 1
        let pause = Self.otherServicePauses.pauseMilliseconds(afterFailures: attempt.pauses + 1, random: 0)
        move(key, .waitingForOther(emit(.startTimer(milliseconds: pause), for: .purchase(key))))
    }

    /// Ends the attempt after a failure of the ledger; the claim under which it has worked is released.
    private mutating func fail(
        _ attempt: HandOverAttempt, _ key: PurchaseKey, _ error: LedgerError, under claim: FulfilmentClaim?
    ) {
        let readsAgain = error.code == .claimLost && !attempt.hasLostClaim
        if readsAgain {
            purchases[key]?.attempt?.hasLostClaim = true
            purchases[key]?.attempt?.checksAmount = true
        } else {
            log(.ledgerFailed, attempt.request.version.signed, error)
        }
        if let claim, purchases[key]?.carriedOut == nil {
            // A claim that cannot be released ends by itself, and until then other services leave the purchase alone.
            let id = emit(.ledger(.release(claim)), for: .purchase(key))
            move(key, .releasing(id, readsAgain: readsAgain))
        } else if readsAgain {
            read(key, under: nil)
        } else {
            endAttempt(key, isHandedOver: false)
        }
    }

    // MARK: The order

    private mutating func order(_ required: RequiredOrder, _ key: PurchaseKey, under claim: FulfilmentClaim) {
        let call = emit(.fulfil(required.order), for: .purchase(key))
        let renewal = startRenewalTimer(key)
        purchases[key]?.order = RunningOrder(
            version: required.version, amount: required.order.amount, claim: claim, step: .calling(call),
            renewal: renewal)
        waitForOrder(key)
    }

    private mutating func waitForOrder(_ key: PurchaseKey) {
        let work = Work.startTimer(milliseconds: limits.orderMilliseconds)
        move(key, .ordering(deadline: emit(work, for: .purchase(key))))
    }

    /// Ends an attempt whose order has passed its deadline. The order stays until it ends.
    private mutating func giveUpWaiting(_ attempt: HandOverAttempt, _ key: PurchaseKey) {
        if case .calling(let call)? = purchases[key]?.order?.step { emit(.cancelOrder(call)) }
        log(.notFulfilled, attempt.request.version.signed, "no answer within \(limits.orderMilliseconds) ms")
        endAttempt(key, isHandedOver: false)
    }

    private mutating func startRenewalTimer(_ key: PurchaseKey) -> EffectID {
        // Three renewals can fail before the claim ends.
        emit(.startTimer(milliseconds: FulfilmentClaim.longestMilliseconds / 4), for: .purchase(key))
    }

    /// Renews the claim of an order while it runs, so that the claim ends soon after this process is killed, and not
    /// before.
    private mutating func renew(_ order: RunningOrder, _ key: PurchaseKey, _ answer: Answer) {
        var renewal: EffectID?
        var isRenewing = false
        switch answer {
        case .done:
            renewal = emit(.ledger(.renew(order.claim)), for: .purchase(key))
            isRenewing = true
        // The claim has ended, or another service has replaced it.
        case .claim(nil): break
        case .ledgerFailed(let error):
            log(.ledgerFailed, order.version.signed, error)
            renewal = startRenewalTimer(key)
        default: renewal = startRenewalTimer(key)
        }
        purchases[key]?.order?.renewal = renewal
        purchases[key]?.order?.isRenewing = isRenewing
    }

    private mutating func proceed(_ order: RunningOrder, _ key: PurchaseKey, _ answer: Answer) {
        switch (order.step, answer) {
        case (.calling, .done):
            // If the ledger fails, only the record is repeated, not the order.
            purchases[key]?.carriedOut = CarriedOutOrder(amount: order.amount, claim: order.claim)
            let work = LedgerWork.markGranted(order.version, order.amount, under: order.claim)
            let id = emit(.ledger(work), for: .purchase(key))
            purchases[key]?.order?.step = .marking(id)
        case (.calling, .notFulfilled(let detail)):
            log(.notFulfilled, order.version.signed, detail)
            guard purchases[key]?.carriedOut == nil else { return end(order, key, nil, isCarriedOut: false) }
            let id = emit(.ledger(.release(order.claim)), for: .purchase(key))
            purchases[key]?.order?.step = .releasing(id)
        case (.marking, .done):
            purchases[key]?.carriedOut = nil
            end(order, key, nil, isCarriedOut: true)
        case (.marking, .ledgerFailed(let error)): end(order, key, error, isCarriedOut: true)
        case (.releasing, _):
            if case .ledgerFailed(let error) = answer { log(.ledgerFailed, order.version.signed, error) }
            end(order, key, nil, isCarriedOut: false)
        default: break
        }
    }

    /// Ends an order, and goes on with the attempt that waits for it.
    private mutating func end(
        _ order: RunningOrder, _ key: PurchaseKey, _ error: LedgerError?, isCarriedOut: Bool
    ) {
        if let renewal = purchases[key]?.order?.renewal, purchases[key]?.order?.isRenewing == false {
            emit(.cancelTimer(renewal))
        }
        purchases[key]?.order = nil
        guard let attempt = purchases[key]?.attempt, case .ordering(let deadline) = attempt.step else {
            return beginNext(key)
        }
        emit(.cancelTimer(deadline))
        if let error {
            fail(attempt, key, error, under: order.claim)
        } else if isCarriedOut {
            purchases[key]?.attempt?.checksAmount = true
            read(key, under: nil)
        } else {
            endAttempt(key, isHandedOver: false)
        }
    }
}

extension CarriedOutOrder {
    /// Notes the claim under which the purchase is read now.
    fileprivate mutating func take(_ other: FulfilmentClaim) {
        if other.number != claim.number { wasReplaced = true }
        claim = other
    }
}

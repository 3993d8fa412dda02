public import PurchaseCore
public import ReceiptTypes

// Renewal, billing retry and expiration of subscriptions as time passes.
extension SimulatorEngine {
    /// Advances the clock to an instant; everything due until then happens in chronological order.
    public mutating func advance(to instant: Timestamp) throws(StoreSimulatorError) {
        guard instant >= state.now else {
            throw StoreSimulatorError(.clockBackward, "the simulated clock shows \(state.now) and cannot be set back")
        }
        try refundUnacknowledgedPlayPurchases(until: instant)
        try processDueEvents(until: instant)
        state.now = instant
    }

    /// Advances the clock by a number of milliseconds.
    public mutating func advance(byMilliseconds milliseconds: Int64) throws(StoreSimulatorError) {
        try advance(to: state.now.adding(milliseconds: milliseconds))
    }

    /// The time of the next renewal, failed payment, end of a grace period, expiration, end of the time for an
    /// approval, or refund of a Google Play purchase that is not acknowledged; nil if nothing is due.
    public var nextEventDate: Timestamp? {
        let dates = state.subscriptions.map(\.due) + state.pending.map(\.approvalDeadline) + [nextPlayRefund?.deadline]
        return dates.compactMap(\.self).min().map { max(state.now, $0) }
    }

    /// Processes everything that is due until an instant.
    mutating func processDueEvents(until instant: Timestamp) throws(StoreSimulatorError) {
        var count = 0
        while let (index, due) = nextDue(until: instant) {
            count += 1
            guard count <= eventLimit else {
                throw StoreSimulatorError(
                    .tooManyEvents, "more than \(eventLimit) renewals are due; advance in smaller steps")
            }
            removeUnapprovedOrders(until: due)
            state.now = max(state.now, due)
            switch state.subscriptions[index].standing {
            case .active: try endPeriod(index, at: due)
            case .gracePeriod: endGracePeriod(index)
            case .billingRetry:
                changeSubscription(index) { $0.end(.expired, because: .billingError) }
                notify(.expired, .billingRetry, aboutSubscription: index)
            case .expired, .revoked: break
            }
        }
        removeUnapprovedOrders(until: instant)
    }

    private func nextDue(until instant: Timestamp) -> (index: Int, due: Timestamp)? {
        var next: (index: Int, due: Timestamp)?
        for (index, subscription) in state.subscriptions.enumerated() {
            guard let due = subscription.due, due <= instant, next.map({ due < $0.due }) ?? true else { continue }
            next = (index, due)
        }
        return next
    }

    /// Ends a paid period: the subscription renews, enters billing retry, or expires.
    private mutating func endPeriod(_ index: Int, at due: Timestamp) throws(StoreSimulatorError) {
        let subscription = state.subscriptions[index]
        guard subscription.willAutoRenew || subscription.owesMonths else {
            let intent = subscription.intentWithoutRenewal
            changeSubscription(index) { $0.end(.expired, because: intent) }
            notifyExpired(index, because: intent)
            return
        }
        if let increase = subscription.priceIncrease, !increase.isAccepted, !subscription.owesMonths {
            changeSubscription(index) { $0.end(.expired, because: .priceIncreaseDeclined) }
            notify(.expired, .priceIncrease, aboutSubscription: index)
            return
        }
        guard let product = configuration.product(subscription.nextProductID), let terms = product.subscription
        else {
            changeSubscription(index) { $0.end(.expired, because: .productUnavailable) }
            notify(.expired, .productNotForSale, aboutSubscription: index)
            return
        }
        guard !subscription.hasBillingIssue, !state.settings.isFailingRenewals else {
            failToRenew(index, terms, at: due)
            return
        }
        let transaction = try renewPeriod(index, product, terms, at: due)
        notify(.didRenew, about: transaction)
        try share(transaction, of: product)
    }

    private mutating func renewPeriod(
        _ index: Int, _ product: ConfiguredProduct, _ terms: ConfiguredSubscription, at start: Timestamp
    ) throws(StoreSimulatorError) -> StoredTransaction {
        let before = state.subscriptions[index]
        if before.owesMonths { return try startPeriod(index, product, terms, at: start, .renewal, []) }
        let isMonthly = before.billingPlan == .monthly
        if !product.id.isIdentical(to: before.productID) || (before.commitment != nil) != isMonthly {
            state.subscriptions[index].agreedPrice = nil
        }
        if let increase = before.priceIncrease, increase.isAccepted {
            state.subscriptions[index].agreedPrice = increase.price
        }
        let upcoming = before.upcomingOffers
        let transaction = try startPeriod(
            index, product, terms, at: start, .renewal, upcoming.first.map { [$0.offer] } ?? [])
        var rest = upcoming
        Self.consumeFirst(&rest)
        if state.subscriptions[index].upcomingOffers != rest {
            changeSubscription(index) { $0.upcomingOffers = rest }
        }
        return transaction
    }

    private mutating func failToRenew(_ index: Int, _ terms: ConfiguredSubscription, at due: Timestamp) {
        let rate = state.settings.timeRate
        let (hasGrace, grace) = (state.settings.isGracePeriodEnabled, state.settings.gracePeriod)
        let period = configuration.product(state.subscriptions[index].productID)?.subscription?.period ?? terms.period
        changeSubscription(index) { subscription in
            subscription.standing = hasGrace ? .gracePeriod : .billingRetry
            subscription.gracePeriodEnd = hasGrace ? rate.graceEnd(of: period, grace, from: due) : nil
            subscription.billingRetryEnd = rate.retryEnd(from: due)
            subscription.expirationIntent = .billingError
        }
        notify(.didFailToRenew, hasGrace ? .gracePeriod : nil, aboutSubscription: index)
    }

    private mutating func endGracePeriod(_ index: Int) {
        let isOver = !state.subscriptions[index].willAutoRenew && !state.subscriptions[index].owesMonths
        let intent = state.subscriptions[index].intentWithoutRenewal
        changeSubscription(index) { subscription in
            subscription.gracePeriodEnd = nil
            if isOver {
                subscription.end(.expired, because: intent)
            } else {
                subscription.standing = .billingRetry
            }
        }
        notify(.gracePeriodExpired, aboutSubscription: index)
        if isOver { notifyExpired(index, because: intent) }
    }

    /// Notifies the server that a subscription without automatic renewal has ended.
    private mutating func notifyExpired(_ index: Int, because intent: ExpirationIntent) {
        notify(.expired, intent == .priceIncreaseDeclined ? .priceIncrease : .voluntary, aboutSubscription: index)
    }

    // MARK: Commands

    /// Ends the current period now and renews the subscription, or lets the renewal fail where the settings say so.
    public mutating func renew(_ id: String) throws(StoreSimulatorError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        guard state.subscriptions[index].willAutoRenew || state.subscriptions[index].owesMonths else {
            throw StoreSimulatorError(.invalidAction, "automatic renewal of \(id) is off")
        }
        guard state.subscriptions[index].standing == .active else {
            guard !state.subscriptions[index].hasBillingIssue, !state.settings.isFailingRenewals else {
                throw StoreSimulatorError(.invalidAction, "billing of \(id) still fails")
            }
            _ = try recoverBilling(index)
            return
        }
        endCurrentPeriod(index)
        try endPeriod(index, at: state.now)
        try processDueEvents(until: state.now)
    }

    /// Ends a subscription now, as a cancelled subscription whose period is over.
    ///
    /// The last instant of a period belongs to it. So that the period is over when the command returns, the clock
    /// advances to the next millisecond.
    public mutating func expire(_ id: String) throws(StoreSimulatorError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        endCurrentPeriod(index)
        changeSubscription(index) { $0.end(.expired, because: .customerCancelled) }
        notify(.expired, .voluntary, aboutSubscription: index)
        try advance(to: max(state.now, state.subscriptions[index].expiresDate.adding(milliseconds: 1)))
    }

    /// Ends the current period now.
    private mutating func endCurrentPeriod(_ index: Int) {
        let now = state.now
        let subscription = state.subscriptions[index]
        guard subscription.expiresDate > now else { return }
        for number in [subscription.latestNumber] + shares(of: subscription.latestNumber) {
            guard let place = state.index(of: number) else { continue }
            change(place) { $0.expiresDate = now }
        }
        changeSubscription(index) { subscription in
            subscription.expiresDate = now
            subscription.anchoredPeriods = 0
        }
    }

    /// Turns automatic renewal off: the subscription ends with its period or commitment, and in billing retry at once.
    public mutating func cancelRenewal(_ id: String) throws(StoreSimulatorError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        guard state.subscriptions[index].willAutoRenew else {
            throw StoreSimulatorError(.invalidAction, "automatic renewal of \(id) is already off")
        }
        changeSubscription(index) { subscription in
            subscription.willAutoRenew = false
            subscription.expirationIntent = .customerCancelled
        }
        notify(.didChangeRenewalStatus, .autoRenewDisabled, aboutSubscription: index)
        guard state.subscriptions[index].standing == .billingRetry else { return }
        changeSubscription(index) { $0.end(.expired, because: .customerCancelled) }
        notify(.expired, .voluntary, aboutSubscription: index)
    }

    /// Turns automatic renewal on again.
    public mutating func resumeRenewal(_ id: String) throws(StoreSimulatorError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        guard !state.subscriptions[index].willAutoRenew else {
            throw StoreSimulatorError(.invalidAction, "automatic renewal of \(id) is already on")
        }
        changeSubscription(index) { subscription in
            subscription.willAutoRenew = true
            subscription.expirationIntent = subscription.standing == .active ? nil : .billingError
        }
        notify(.didChangeRenewalStatus, .autoRenewEnabled, aboutSubscription: index)
    }

    /// Makes the renewals of a subscription fail, or ends that; billing of a failed renewal then recovers at once.
    public mutating func setBillingIssue(_ isOn: Bool, _ id: String) throws(StoreSimulatorError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        state.subscriptions[index].hasBillingIssue = isOn
        guard !isOn, state.subscriptions[index].standing != .active else { return }
        _ = try recoverBilling(index)
    }

    /// Charges for a failed renewal: from the end of the old period in the grace period, and from now in billing retry.
    mutating func recoverBilling(_ index: Int) throws(StoreSimulatorError) -> StoredTransaction {
        let subscription = state.subscriptions[index]
        guard let product = configuration.product(subscription.nextProductID), let terms = product.subscription
        else { throw StoreSimulatorError(.unknownProduct, "the store does not sell \(subscription.nextProductID)") }
        let start = subscription.standing == .gracePeriod ? subscription.expiresDate : state.now
        if subscription.standing != .gracePeriod { state.subscriptions[index].startDate = start }
        let transaction = try renewPeriod(index, product, terms, at: start)
        if !subscription.willAutoRenew {
            changeSubscription(index) { renewed in
                renewed.willAutoRenew = false
                renewed.expirationIntent = subscription.intentWithoutRenewal
            }
        }
        notify(.didRenew, .billingRecovery, about: transaction)
        try share(transaction, of: product)
        // A grace period can be longer than the paid period that starts with it.
        try processDueEvents(until: state.now)
        return transaction
    }
}

public import ReceiptTypes

// What becomes of subscriptions as time passes.
extension LocalStoreEngine {
    /// Lets time pass until an instant. All that is due on the way happens in the order of its time.
    public mutating func advance(to instant: Timestamp) throws(LocalStoreError) {
        guard instant >= state.now else {
            throw LocalStoreError(.clockBackward, "the store's clock shows \(state.now) and goes forward only")
        }
        try settleDue(until: instant)
        state.now = instant
    }

    /// Lets some milliseconds pass.
    public mutating func advance(by milliseconds: Int64) throws(LocalStoreError) {
        try advance(to: state.now.adding(milliseconds: milliseconds))
    }

    /// Does what is due by an instant.
    mutating func settleDue(until instant: Timestamp) throws(LocalStoreError) {
        var count = 0
        while let (index, due) = nextDue(until: instant) {
            count += 1
            guard count <= eventLimit else {
                throw LocalStoreError(
                    .tooManyEvents, "more than \(eventLimit) renewals are due: go on in smaller steps")
            }
            state.now = max(state.now, due)
            switch state.subscriptions[index].standing {
            case .active: try endPeriod(index, at: due)
            case .gracePeriod: endGrace(index)
            case .billingRetry:
                changeSubscription(index) { $0.end(.expired, because: .billingError) }
                notify(.expired, .billingRetry, aboutSubscription: index)
            case .expired, .revoked: break
            }
        }
    }

    private func nextDue(until instant: Timestamp) -> (index: Int, due: Timestamp)? {
        var next: (index: Int, due: Timestamp)?
        for (index, subscription) in state.subscriptions.enumerated() {
            guard let due = subscription.due, due <= instant, next.map({ due < $0.due }) ?? true else { continue }
            next = (index, due)
        }
        return next
    }

    /// The paid period is over: a new one begins, or billing fails, or the subscription ends.
    private mutating func endPeriod(_ index: Int, at due: Timestamp) throws(LocalStoreError) {
        let subscription = state.subscriptions[index]
        guard subscription.willAutoRenew else {
            let intent = subscription.expirationIntent ?? .customerCancelled
            changeSubscription(index) { $0.end(.expired, because: intent) }
            notify(
                .expired, intent == .priceIncreaseDeclined ? .priceIncrease : .voluntary, aboutSubscription: index)
            return
        }
        if let increase = subscription.priceIncrease, !increase.isAccepted {
            changeSubscription(index) { $0.end(.expired, because: .priceIncreaseDeclined) }
            notify(.expired, .priceIncrease, aboutSubscription: index)
            return
        }
        guard let product = configuration.product(subscription.renewalProductID), let terms = product.subscription
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
    ) throws(LocalStoreError) -> StoredTransaction {
        let before = state.subscriptions[index]
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
        let hasGrace = state.settings.isGracePeriodEnabled
        let period = configuration.product(state.subscriptions[index].productID)?.subscription?.period ?? terms.period
        changeSubscription(index) { subscription in
            subscription.standing = hasGrace ? .gracePeriod : .billingRetry
            subscription.gracePeriodEnd = hasGrace ? rate.graceEnd(of: period, from: due) : nil
            subscription.billingRetryEnd = rate.retryEnd(from: due)
            subscription.expirationIntent = .billingError
        }
        notify(.didFailToRenew, hasGrace ? .gracePeriod : nil, aboutSubscription: index)
    }

    private mutating func endGrace(_ index: Int) {
        let isOver = !state.subscriptions[index].willAutoRenew
        changeSubscription(index) { subscription in
            subscription.gracePeriodEnd = nil
            if isOver {
                subscription.end(.expired, because: .customerCancelled)
            } else {
                subscription.standing = .billingRetry
            }
        }
        notify(.gracePeriodExpired, aboutSubscription: index)
        if isOver { notify(.expired, .voluntary, aboutSubscription: index) }
    }

    // MARK: Commands

    /// Renews at once, as if the period were over; where renewals fail, this one does.
    public mutating func renew(_ id: String) throws(LocalStoreError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        guard state.subscriptions[index].willAutoRenew else {
            throw LocalStoreError(.invalidAction, "the renewal of \(id) is switched off")
        }
        guard state.subscriptions[index].standing == .active else {
            guard !state.subscriptions[index].hasBillingIssue, !state.settings.isFailingRenewals else {
                throw LocalStoreError(.invalidAction, "billing of \(id) still fails")
            }
            _ = try recover(index)
            return
        }
        cutShort(index)
        try endPeriod(index, at: state.now)
        try settleDue(until: state.now)
    }

    /// Ends a subscription at once, as if it had been cancelled and its period were over.
    public mutating func expire(_ id: String) throws(LocalStoreError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        cutShort(index)
        changeSubscription(index) { $0.end(.expired, because: .customerCancelled) }
        notify(.expired, .voluntary, aboutSubscription: index)
    }

    /// Lets the present period end now.
    private mutating func cutShort(_ index: Int) {
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

    /// Switches renewal off: the subscription ends with its period. Where the store only tries to bill, it ends at once.
    public mutating func cancelRenewal(_ id: String) throws(LocalStoreError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        guard state.subscriptions[index].willAutoRenew else {
            throw LocalStoreError(.invalidAction, "the renewal of \(id) is switched off already")
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

    /// Switches renewal on again.
    public mutating func resumeRenewal(_ id: String) throws(LocalStoreError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        guard !state.subscriptions[index].willAutoRenew else {
            throw LocalStoreError(.invalidAction, "the renewal of \(id) is switched on already")
        }
        changeSubscription(index) { subscription in
            subscription.willAutoRenew = true
            subscription.expirationIntent = subscription.standing == .active ? nil : .billingError
        }
        notify(.didChangeRenewalStatus, .autoRenewEnabled, aboutSubscription: index)
    }

    /// Lets the renewals of a subscription fail, or not any more; one that the store tries to bill then recovers at once.
    public mutating func setBillingIssue(_ isOn: Bool, _ id: String) throws(LocalStoreError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        state.subscriptions[index].hasBillingIssue = isOn
        guard !isOn, state.subscriptions[index].standing != .active else { return }
        _ = try recover(index)
    }

    /// Bills at last. Within the grace period no day is lost or given; afterwards a new period begins now.
    mutating func recover(_ index: Int) throws(LocalStoreError) -> StoredTransaction {
        let subscription = state.subscriptions[index]
        guard let product = configuration.product(subscription.renewalProductID), let terms = product.subscription
        else { throw LocalStoreError(.unknownProduct, "the store does not sell \(subscription.renewalProductID)") }
        let start = subscription.standing == .gracePeriod ? subscription.expiresDate : state.now
        if subscription.standing != .gracePeriod { state.subscriptions[index].startDate = start }
        let transaction = try renewPeriod(index, product, terms, at: start)
        if !subscription.willAutoRenew {
            changeSubscription(index) { renewed in
                renewed.willAutoRenew = false
                renewed.expirationIntent = .customerCancelled
            }
        }
        notify(.didRenew, .billingRecovery, about: transaction)
        try share(transaction, of: product)
        // A grace period can be longer than what was paid for it.
        try settleDue(until: state.now)
        return transaction
    }
}

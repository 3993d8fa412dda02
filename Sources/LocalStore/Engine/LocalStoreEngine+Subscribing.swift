internal import PurchaseCore
internal import ReceiptTypes

// From a purchase to a period: new subscriptions, returns, and changes of plan.
extension LocalStoreEngine {
    mutating func subscribe(
        to product: ConfiguredProduct, for account: String, _ order: PurchaseOrder
    ) throws(LocalStoreError) -> PurchaseAnswer {
        guard let terms = product.subscription else {
            throw LocalStoreError(.invalidAction, "\(product.id) is no subscription")
        }
        let offers = try offer(for: product, account, order.offer)
        guard let index = ownSubscriptionIndex(of: account, group: terms.groupID) else {
            return .bought(try begin(product, terms, for: account, order, offers))
        }
        if let token = order.appAccountToken { state.subscriptions[index].appAccountToken = token }
        let subscription = state.subscriptions[index]
        let isSameProduct = subscription.productID.isIdentical(to: product.id)
        switch subscription.standing {
        case .expired, .revoked:
            return .bought(try returnTo(product, terms, index, offers))
        case .billingRetry where !isSameProduct:
            return .bought(try returnTo(product, terms, index, offers))
        case .gracePeriod where isSameProduct, .billingRetry:
            // Who pays now has a way to pay.
            changeSubscription(index) { $0.hasBillingIssue = false }
            queue(offers, index, renewingTo: product.id)
            return .bought(try recover(index))
        case .active, .gracePeriod:
            return try change(index, to: product, terms, offers)
        }
    }

    private mutating func begin(
        _ product: ConfiguredProduct,
        _ terms: ConfiguredSubscription,
        for account: String,
        _ order: PurchaseOrder,
        _ offers: [AppliedOffer]
    ) throws(LocalStoreError) -> StoredTransaction {
        let offer = offers.first
        let end = end(of: terms, offer, from: state.now)
        let transaction = try record(
            Draft(
                account: account, product: product, purchaseDate: state.now, expiresDate: end,
                price: offer?.price ?? product.price, appAccountToken: order.appAccountToken, offer: offer
            ))
        state.subscriptions.append(
            StoredSubscription(
                originalNumber: transaction.number, sharedFrom: nil, latestNumber: transaction.number,
                anchor: state.now, anchoredPeriods: offer == nil ? 1 : 0,
                upcomingOffers: Self.rest(of: offers), account: account, groupID: terms.groupID,
                originalPurchaseDate: state.now, productID: product.id, startDate: state.now, expiresDate: end,
                renewalProductID: product.id, appAccountToken: order.appAccountToken, signedDate: state.now
            ))
        note(.subscription(state.subscriptions[state.subscriptions.endIndex - 1]))
        notify(.subscribed, .initialBuy, about: transaction)
        try share(transaction, of: product)
        return transaction
    }

    private mutating func returnTo(
        _ product: ConfiguredProduct, _ terms: ConfiguredSubscription, _ index: Int, _ offers: [AppliedOffer]
    ) throws(LocalStoreError) -> StoredTransaction {
        state.subscriptions[index].startDate = state.now
        state.subscriptions[index].agreedPrice = nil
        state.subscriptions[index].hasBillingIssue = false
        let transaction = try startPeriod(index, product, terms, at: state.now, .purchase, offers)
        notify(.subscribed, .resubscribe, about: transaction)
        try share(transaction, of: product)
        return transaction
    }

    // MARK: Changes of plan

    /// Changes the plan of a subscription: up at once, down with the next renewal; back to the present one cancels a change.
    public mutating func changePlan(
        _ id: String, to productID: String, offer: RequestedOffer? = nil
    ) throws(LocalStoreError) -> PurchaseAnswer {
        let index = try subscriptionIndex(id)
        let subscription = state.subscriptions[index]
        let product = try product(productID)
        guard let terms = product.subscription, terms.groupID.isIdentical(to: subscription.groupID) else {
            throw LocalStoreError(.invalidAction, "\(productID) is not in group \(subscription.groupID)")
        }
        guard subscription.standing == .active || subscription.standing == .gracePeriod else {
            throw LocalStoreError(.invalidAction, "subscription \(subscription.id) does not run")
        }
        let offers = try self.offer(for: product, subscription.account, offer)
        return try change(index, to: product, terms, offers)
    }

    private mutating func change(
        _ index: Int, to product: ConfiguredProduct, _ terms: ConfiguredSubscription, _ offers: [AppliedOffer]
    ) throws(LocalStoreError) -> PurchaseAnswer {
        let subscription = state.subscriptions[index]
        if subscription.productID.isIdentical(to: product.id) {
            stay(index, offers)
        } else if isImmediate(from: subscription.productID, to: terms) {
            return .bought(try upgrade(index, to: product, terms, offers))
        } else {
            queue(offers, index, renewingTo: product.id)
            notify(offers.isEmpty ? .didChangeRenewalPref : .offerRedeemed, .downgrade, aboutSubscription: index)
        }
        guard let latest = state.index(of: subscription.latestNumber) else {
            throw LocalStoreError(.unknownTransaction, "subscription \(subscription.id) has no transaction")
        }
        return .planChanged(state.transactions[latest])
    }

    /// To a higher level, or to the same one for the same time. From a product that is sold no more everything is higher.
    private func isImmediate(from productID: String, to terms: ConfiguredSubscription) -> Bool {
        guard let old = configuration.product(productID)?.subscription else { return true }
        if terms.level != old.level { return terms.level < old.level }
        return terms.period == old.period
    }

    /// Keeps the plan: a change that waits is dropped, renewal is on again, an offer is for the next renewals.
    private mutating func stay(_ index: Int, _ offers: [AppliedOffer]) {
        let before = state.subscriptions[index]
        let wasChanging = !before.renewalProductID.isIdentical(to: before.productID)
        queue(offers, index, renewingTo: before.productID)
        if !offers.isEmpty {
            notify(.offerRedeemed, aboutSubscription: index)
        } else if wasChanging {
            notify(.didChangeRenewalPref, aboutSubscription: index)
        }
        if !before.willAutoRenew { notify(.didChangeRenewalStatus, .autoRenewEnabled, aboutSubscription: index) }
    }

    private mutating func queue(_ offers: [AppliedOffer], _ index: Int, renewingTo productID: String) {
        changeSubscription(index) { subscription in
            // An offer for another product ends with it.
            if !subscription.renewalProductID.isIdentical(to: productID) || !offers.isEmpty {
                subscription.upcomingOffers = offers.map {
                    .init(offer: $0, remainingTransactions: $0.transactionCount)
                }
            }
            if !subscription.renewalProductID.isIdentical(to: productID) {
                subscription.priceIncrease = nil
                subscription.agreedPrice = nil
            }
            subscription.renewalProductID = productID
            subscription.willAutoRenew = true
            subscription.expirationIntent = nil
        }
    }

    private mutating func upgrade(
        _ index: Int, to product: ConfiguredProduct, _ terms: ConfiguredSubscription, _ offers: [AppliedOffer]
    ) throws(LocalStoreError) -> StoredTransaction {
        let now = state.now
        let old = state.subscriptions[index].latestNumber
        // The rest of the old period is paid back pro rata: it ends here.
        for number in [old] + shares(of: old) {
            guard let place = state.index(of: number) else { continue }
            change(place) { transaction in
                transaction.isUpgraded = true
                transaction.expiresDate = min(transaction.expiresDate ?? now, now)
            }
        }
        state.subscriptions[index].agreedPrice = nil
        let transaction = try startPeriod(index, product, terms, at: now, .purchase, offers)
        notify(offers.isEmpty ? .didChangeRenewalPref : .offerRedeemed, .upgrade, about: transaction)
        try share(transaction, of: product)
        return transaction
    }

    // MARK: Periods

    /// Writes a period down that begins at an instant, with the first of some offers, and queues the others.
    mutating func startPeriod(
        _ index: Int,
        _ product: ConfiguredProduct,
        _ terms: ConfiguredSubscription,
        at start: Timestamp,
        _ reason: TransactionReason,
        _ offers: [AppliedOffer]
    ) throws(LocalStoreError) -> StoredTransaction {
        let subscription = state.subscriptions[index]
        let offer = offers.first
        let isSame = subscription.productID.isIdentical(to: product.id)
        // Counted from the first of a row of equal periods, so that the end of January comes back after February.
        var anchor = (date: start, periods: 0)
        if offer == nil, isSame, subscription.expiresDate == start, subscription.anchoredPeriods > 0 {
            anchor = (subscription.anchor, subscription.anchoredPeriods)
        }
        if offer == nil { anchor.periods = min(anchor.periods, 1_000_000) + 1 }
        var end = end(of: terms, offer, from: start)
        if offer == nil, state.settings.timeRate.pace == .calendar {
            end = state.settings.timeRate.end(of: terms.period, times: anchor.periods, from: anchor.date)
        }
        guard end > start else { throw LocalStoreError(.invalidAction, "the calendar ends here") }
        let transaction = try record(
            Draft(
                account: subscription.account, product: product, originalNumber: subscription.originalNumber,
                originalPurchaseDate: subscription.originalPurchaseDate, purchaseDate: start, expiresDate: end,
                reason: reason, price: offer?.price ?? subscription.agreedPrice ?? product.price,
                appAccountToken: subscription.appAccountToken, offer: offer
            ))
        changeSubscription(index) { subscription in
            subscription.latestNumber = transaction.number
            subscription.productID = product.id
            subscription.renewalProductID = product.id
            subscription.expiresDate = end
            subscription.standing = .active
            subscription.willAutoRenew = true
            subscription.gracePeriodEnd = nil
            subscription.billingRetryEnd = nil
            subscription.expirationIntent = nil
            subscription.priceIncrease = nil
            subscription.anchor = anchor.date
            subscription.anchoredPeriods = anchor.periods
            subscription.upcomingOffers = Self.rest(of: offers)
        }
        return transaction
    }

    private func end(of terms: ConfiguredSubscription, _ offer: AppliedOffer?, from start: Timestamp) -> Timestamp {
        let rate = state.settings.timeRate
        guard let offer else { return rate.end(of: terms.period, from: start) }
        return rate.end(of: offer.period, times: offer.periodsATransaction, from: start)
    }

    /// What is left of offers after a first transaction.
    private static func rest(of offers: [AppliedOffer]) -> [StoredSubscription.UpcomingOffer] {
        var upcoming = offers.map {
            StoredSubscription.UpcomingOffer(offer: $0, remainingTransactions: $0.transactionCount)
        }
        consumeFirst(&upcoming)
        return upcoming
    }

    static func consumeFirst(_ upcoming: inout [StoredSubscription.UpcomingOffer]) {
        guard !upcoming.isEmpty else { return }
        upcoming[0].remainingTransactions -= 1
        if upcoming[0].remainingTransactions <= 0 { upcoming.removeFirst() }
    }
}

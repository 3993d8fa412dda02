public import PurchaseCore
public import ReceiptTypes

// Purchases of subscriptions: first purchases, resubscriptions and plan changes.
extension SimulatorEngine {
    mutating func subscribe(
        to product: ConfiguredProduct, for account: String, _ order: PurchaseOrder
    ) throws(StoreSimulatorError) -> PurchaseAnswer {
        guard let terms = product.subscription else {
            throw StoreSimulatorError(.invalidAction, "\(product.id) is not a subscription")
        }
        let (plan, offers) = (order.billingPlan, try offer(for: product, account, order.offer, order.billingPlan))
        guard let index = ownSubscriptionIndex(of: account, group: terms.groupID) else {
            return .bought(try startSubscription(product, terms, for: account, order, offers))
        }
        if let token = order.appAccountToken { state.subscriptions[index].appAccountToken = token }
        let subscription = state.subscriptions[index]
        let isSameProduct = subscription.productID.isIdentical(to: product.id)
        switch subscription.standing {
        case .expired, .revoked:
            return .bought(try resubscribe(product, terms, index, plan, offers))
        case .billingRetry where !isSameProduct:
            return .bought(try resubscribe(product, terms, index, plan, offers))
        case .gracePeriod where isSameProduct, .billingRetry:
            queue(offers, index, renewingTo: product.id, plan)
            return .bought(try recoverBilling(index))
        case .active, .gracePeriod:
            return try change(index, to: product, terms, plan, offers)
        }
    }

    private mutating func startSubscription(
        _ product: ConfiguredProduct,
        _ terms: ConfiguredSubscription,
        for account: String,
        _ order: PurchaseOrder,
        _ offers: [AppliedOffer]
    ) throws(StoreSimulatorError) -> StoredTransaction {
        let offer = offers.first
        let period = try periodTerms(of: product, terms, order.billingPlan)
        let end = end(of: period.period, offer, from: state.now)
        let commitment = offer == nil ? commitment(after: nil, period, from: state.now, end) : nil
        let transaction = try record(
            Draft(
                account: account, product: product, purchaseDate: state.now, expiresDate: end,
                price: offer?.price ?? period.price, appAccountToken: order.appAccountToken, offer: offer,
                commitment: commitment
            ))
        state.subscriptions.append(
            StoredSubscription(
                originalNumber: transaction.number, sharedFrom: nil, latestNumber: transaction.number,
                anchor: state.now, anchoredPeriods: offer == nil ? 1 : 0,
                upcomingOffers: Self.remainingOffers(of: offers), account: account, groupID: terms.groupID,
                originalPurchaseDate: state.now, productID: product.id, startDate: state.now, expiresDate: end,
                renewalProductID: product.id, billingPlan: order.billingPlan, commitment: commitment,
                appAccountToken: order.appAccountToken, signedDate: state.now
            ))
        emit(.subscription(state.subscriptions[state.subscriptions.endIndex - 1]))
        notify(.subscribed, .initialBuy, about: transaction)
        try share(transaction, of: product)
        return transaction
    }

    private mutating func resubscribe(
        _ product: ConfiguredProduct, _ terms: ConfiguredSubscription, _ index: Int, _ plan: BillingPlanType?,
        _ offers: [AppliedOffer]
    ) throws(StoreSimulatorError) -> StoredTransaction {
        state.subscriptions[index].startDate = state.now
        state.subscriptions[index].agreedPrice = nil
        state.subscriptions[index].billingPlan = plan
        let transaction = try startPeriod(index, product, terms, at: state.now, .purchase, offers)
        notify(.subscribed, .resubscribe, about: transaction)
        try share(transaction, of: product)
        return transaction
    }

    // MARK: Plan changes

    /// Changes the plan of a subscription.
    ///
    /// An upgrade takes effect at once, a downgrade with the next renewal. A change to the current product cancels a
    /// planned change. Where the customer has a commitment, the next renewal is the one after its end.
    public mutating func changePlan(
        _ id: String, to productID: String, offer: RequestedOffer? = nil, billingPlan: BillingPlanType? = nil
    ) throws(StoreSimulatorError) -> PurchaseAnswer {
        let index = try subscriptionIndex(id)
        let subscription = state.subscriptions[index]
        let product = try product(productID)
        guard let terms = product.subscription, terms.groupID.isIdentical(to: subscription.groupID) else {
            throw StoreSimulatorError(.invalidAction, "\(productID) is not in group \(subscription.groupID)")
        }
        guard subscription.standing == .active || subscription.standing == .gracePeriod else {
            throw StoreSimulatorError(.invalidAction, "subscription \(subscription.id) is not active")
        }
        _ = try periodTerms(of: product, terms, billingPlan)
        let offers = try self.offer(for: product, subscription.account, offer, billingPlan)
        let play = state.index(of: subscription.latestNumber).flatMap { playOrder(changing: state.transactions[$0]) }
        return try recordPlayOrder(play, of: try change(index, to: product, terms, billingPlan, offers))
    }

    private mutating func change(
        _ index: Int, to product: ConfiguredProduct, _ terms: ConfiguredSubscription, _ plan: BillingPlanType?,
        _ offers: [AppliedOffer]
    ) throws(StoreSimulatorError) -> PurchaseAnswer {
        let subscription = state.subscriptions[index]
        if subscription.productID.isIdentical(to: product.id) {
            keepPlan(index, plan, offers)
        } else if isImmediate(from: subscription.productID, to: terms) {
            return .bought(try upgrade(index, to: product, terms, plan, offers))
        } else {
            queue(offers, index, renewingTo: product.id, plan)
            notify(offers.isEmpty ? .didChangeRenewalPref : .offerRedeemed, .downgrade, aboutSubscription: index)
        }
        guard let latest = state.index(of: subscription.latestNumber) else {
            throw StoreSimulatorError(.unknownTransaction, "subscription \(subscription.id) has no transaction")
        }
        return .planChanged(state.transactions[latest])
    }

    /// Returns whether a plan change takes effect at once: to a higher level, or with the same level and period.
    ///
    /// Every change from a product that is no longer on sale takes effect at once.
    private func isImmediate(from productID: String, to terms: ConfiguredSubscription) -> Bool {
        guard let old = configuration.product(productID)?.subscription else { return true }
        if terms.level != old.level { return terms.level < old.level }
        return terms.period == old.period
    }

    /// Keeps the current product: cancels a planned change, turns automatic renewal on, and queues the offers.
    private mutating func keepPlan(_ index: Int, _ plan: BillingPlanType?, _ offers: [AppliedOffer]) {
        let before = state.subscriptions[index]
        let wasChanging = !before.renewalProductID.isIdentical(to: before.productID) || before.billingPlan != plan
        queue(offers, index, renewingTo: before.productID, plan)
        if !offers.isEmpty {
            notify(.offerRedeemed, aboutSubscription: index)
        } else if wasChanging {
            notify(.didChangeRenewalPref, aboutSubscription: index)
        }
        if !before.willAutoRenew { notify(.didChangeRenewalStatus, .autoRenewEnabled, aboutSubscription: index) }
    }

    private mutating func queue(
        _ offers: [AppliedOffer], _ index: Int, renewingTo productID: String, _ plan: BillingPlanType?
    ) {
        changeSubscription(index) { subscription in
            let isOther = !subscription.renewalProductID.isIdentical(to: productID) || subscription.billingPlan != plan
            // An offer belongs to one product and does not survive a plan change.
            if isOther || !offers.isEmpty {
                subscription.upcomingOffers = offers.map {
                    .init(offer: $0, remainingTransactions: $0.transactionCount)
                }
            }
            if isOther {
                subscription.priceIncrease = nil
                // The months of a commitment keep their price.
                if !subscription.owesMonths { subscription.agreedPrice = nil }
            }
            subscription.renewalProductID = productID
            subscription.billingPlan = plan
            subscription.willAutoRenew = true
            subscription.expirationIntent = nil
        }
    }

    private mutating func upgrade(
        _ index: Int, to product: ConfiguredProduct, _ terms: ConfiguredSubscription, _ plan: BillingPlanType?,
        _ offers: [AppliedOffer]
    ) throws(StoreSimulatorError) -> StoredTransaction {
        let now = state.now
        let old = state.subscriptions[index].latestNumber
        // The App Store refunds the rest of the old period pro rata, so the period ends now.
        for number in [old] + shares(of: old) {
            guard let place = state.index(of: number) else { continue }
            change(place) { transaction in
                transaction.isUpgraded = true
                transaction.expiresDate = min(transaction.expiresDate ?? now, now)
            }
        }
        state.subscriptions[index].agreedPrice = nil
        state.subscriptions[index].billingPlan = plan
        let transaction = try startPeriod(index, product, terms, at: now, .purchase, offers)
        notify(offers.isEmpty ? .didChangeRenewalPref : .offerRedeemed, .upgrade, about: transaction)
        try share(transaction, of: product)
        return transaction
    }

    // MARK: Periods

    /// Starts a period at an instant with the first of the offers, and queues the others for the next renewals.
    ///
    /// The customer has paid for the period, so a billing issue is over.
    mutating func startPeriod(
        _ index: Int,
        _ product: ConfiguredProduct,
        _ terms: ConfiguredSubscription,
        at start: Timestamp,
        _ reason: TransactionReason,
        _ offers: [AppliedOffer]
    ) throws(StoreSimulatorError) -> StoredTransaction {
        let subscription = state.subscriptions[index]
        let offer = offers.first
        let isSame = subscription.productID.isIdentical(to: product.id)
        let isOwed = reason == .renewal && subscription.owesMonths
        var current = subscription
        if !isOwed { current.commitment = nil }
        let period = nextPeriodTerms(of: current, product, terms)
        // Counts months from the first of a series of equal periods: after 31 January and 28 February comes 31 March.
        var anchor = (date: start, periods: 0)
        // A purchase begins a new series, and so does a change of the payment schedule.
        let continues =
            isOwed || (reason == .renewal && subscription.commitment == nil && period.commitment == nil)
        if offer == nil, isSame, continues, subscription.expiresDate == start, subscription.anchoredPeriods > 0 {
            anchor = (subscription.anchor, subscription.anchoredPeriods)
        }
        if offer == nil { anchor.periods = min(anchor.periods, 1_000_000) + 1 }
        var end = end(of: period.period, offer, from: start)
        if offer == nil, state.settings.timeRate.pace == .calendar {
            end = state.settings.timeRate.end(of: period.period, times: anchor.periods, from: anchor.date)
        }
        guard end > start else {
            throw StoreSimulatorError(
                .invalidAction, "the period would end after the last date that the calendar supports")
        }
        let commitment = offer == nil ? commitment(after: current.commitment, period, from: start, end) : nil
        let agreedPrice = isOwed ? nil : subscription.agreedPrice
        let transaction = try record(
            Draft(
                account: subscription.account, product: product, originalNumber: subscription.originalNumber,
                originalPurchaseDate: subscription.originalPurchaseDate, purchaseDate: start, expiresDate: end,
                reason: reason, price: offer?.price ?? agreedPrice ?? period.price,
                appAccountToken: subscription.appAccountToken, offer: offer, commitment: commitment
            ))
        changeSubscription(index) { subscription in
            subscription.latestNumber = transaction.number
            subscription.productID = product.id
            subscription.expiresDate = end
            subscription.standing = .active
            subscription.commitment = commitment
            subscription.gracePeriodEnd = nil
            subscription.billingRetryEnd = nil
            subscription.expirationIntent = nil
            subscription.hasBillingIssue = false
            subscription.anchor = anchor.date
            subscription.anchoredPeriods = anchor.periods
            guard !isOwed else {
                // Everything else waits for the renewal after the commitment.
                if !subscription.willAutoRenew { subscription.expirationIntent = current.intentWithoutRenewal }
                return
            }
            subscription.renewalProductID = product.id
            subscription.willAutoRenew = true
            // A renewal that is paid late does not answer an increase that was announced since; a purchase replaces it.
            if reason == .purchase || subscription.priceIncrease?.isAccepted == true {
                subscription.priceIncrease = nil
            }
            subscription.upcomingOffers = Self.remainingOffers(of: offers)
        }
        return transaction
    }

    private func end(of period: BillingPeriod, _ offer: AppliedOffer?, from start: Timestamp) -> Timestamp {
        let rate = state.settings.timeRate
        guard let offer else { return rate.end(of: period, from: start) }
        return rate.end(of: offer.period, times: offer.periodsATransaction, from: start)
    }

    /// Returns the offers that remain after the first transaction.
    private static func remainingOffers(of offers: [AppliedOffer]) -> [StoredSubscription.UpcomingOffer] {
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

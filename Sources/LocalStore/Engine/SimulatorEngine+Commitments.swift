internal import PurchaseCore
internal import ReceiptTypes

// Subscriptions that are billed each month, with a commitment to all months of their period.
extension SimulatorEngine {
    /// The price and the length of the next period of a subscription.
    struct PeriodTerms {
        /// The price without offers and price increases.
        var price: Milliunits
        /// The length of the period.
        var period: BillingPeriod
        /// The number and the price of the months of a new commitment; nil without one.
        var commitment: (monthCount: Int, price: Milliunits)?
    }

    /// Returns the terms of a payment schedule; throws where the product is not sold with it.
    func periodTerms(
        of product: ConfiguredProduct, _ terms: ConfiguredSubscription, _ plan: BillingPlanType?
    ) throws(StoreSimulatorError) -> PeriodTerms {
        guard let plan else { return PeriodTerms(price: product.price, period: terms.period) }
        guard let schedule = terms.billingPlan(plan) else {
            throw StoreSimulatorError(
                .unknownBillingPlan, "\(product.id) is not sold with the billing plan \(plan.rawValue)")
        }
        guard plan == .monthly else { return PeriodTerms(price: schedule.price, period: terms.period) }
        let months = terms.period.months
        guard terms.period.days == 0, (2...Commitment.maximumCount).contains(months) else {
            throw StoreSimulatorError(
                .unknownBillingPlan, "a period of \(terms.period) of \(product.id) cannot be billed each month")
        }
        let total = schedule.price.rawValue.multipliedReportingOverflow(by: Int64(months))
        return PeriodTerms(
            price: schedule.price, period: .month,
            commitment: (months, schedule.commitmentPrice ?? Milliunits(total.overflow ? .max : total.partialValue)))
    }

    /// Returns the terms of the next period of a subscription, without offers and price increases.
    ///
    /// The months of a commitment keep their price. After it, the usual schedule replaces one that is no longer on
    /// sale.
    func nextPeriodTerms(
        of subscription: StoredSubscription, _ product: ConfiguredProduct, _ terms: ConfiguredSubscription
    ) -> PeriodTerms {
        if subscription.owesMonths {
            let latest = state.index(of: subscription.latestNumber).map { state.transactions[$0] }
            return PeriodTerms(price: latest?.price ?? product.price, period: .month)
        }
        return (try? periodTerms(of: product, terms, subscription.billingPlan))
            ?? PeriodTerms(price: product.price, period: terms.period)
    }

    /// Returns the price of the first renewal that can change it: the one after a commitment, or else the next one.
    func renewalPrice(of subscription: StoredSubscription) -> Milliunits? {
        guard let product = configuration.product(subscription.renewalProductID), let terms = product.subscription
        else { return nil }
        var next = subscription
        next.commitment = nil
        return nextPeriodTerms(of: next, product, terms).price
    }

    /// Returns the commitment after a renewal or a purchase at `start`.
    ///
    /// - Parameter current: The commitment that goes on; nil for a new one.
    func commitment(
        after current: Commitment?, _ terms: PeriodTerms, from start: Timestamp, _ end: Timestamp
    ) -> Commitment? {
        if var next = current, next.hasMonthsLeft {
            next.month += 1
            next.endDate = max(next.endDate, end)
            return next
        }
        guard let (count, price) = terms.commitment else { return nil }
        let rate = state.settings.timeRate
        var last = rate.end(of: .month, times: count, from: start)
        // At a fixed renewal rate, several periods at once last as long as one; months follow each other.
        if case .renewal = rate.pace {
            last = start
            for _ in 0..<count { last = rate.end(of: .month, from: last) }
        }
        return Commitment(month: 1, monthCount: count, price: price, endDate: last)
    }
}

public import ReceiptTypes

extension LocalStoreEngine {
    /// Announces a higher price for the next renewal. Who has to agree and does not, loses the subscription with its period.
    public mutating func requestPriceIncrease(
        _ id: String, to price: Milliunits, needsConsent: Bool = true
    ) throws(LocalStoreError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        let subscription = state.subscriptions[index]
        let present = subscription.agreedPrice ?? configuration.product(subscription.renewalProductID)?.price
        guard price > present ?? Milliunits(0) else {
            throw LocalStoreError(.invalidAction, "\(price) is no increase")
        }
        guard subscription.willAutoRenew else {
            throw LocalStoreError(.invalidAction, "the renewal of \(id) is switched off")
        }
        changeSubscription(index) { $0.priceIncrease = .init(price: price, isAccepted: !needsConsent) }
        notify(.priceIncrease, needsConsent ? .pending : .accepted, aboutSubscription: index)
    }

    /// Lets the customer agree to a higher price.
    public mutating func consentToPriceIncrease(_ id: String) throws(LocalStoreError) {
        let index = try openIncrease(id)
        changeSubscription(index) { $0.priceIncrease?.isAccepted = true }
        notify(.priceIncrease, .accepted, aboutSubscription: index)
    }

    /// Lets the customer refuse a higher price: the subscription ends with its period.
    public mutating func declinePriceIncrease(_ id: String) throws(LocalStoreError) {
        let index = try openIncrease(id)
        changeSubscription(index) { subscription in
            subscription.willAutoRenew = false
            subscription.expirationIntent = .priceIncreaseDeclined
        }
        notify(.didChangeRenewalStatus, .autoRenewDisabled, aboutSubscription: index)
    }

    private func openIncrease(_ id: String) throws(LocalStoreError) -> Int {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        guard let increase = state.subscriptions[index].priceIncrease, !increase.isAccepted else {
            throw LocalStoreError(.invalidAction, "no price increase of \(id) waits for consent")
        }
        return index
    }
}

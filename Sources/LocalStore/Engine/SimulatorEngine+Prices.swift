public import PurchaseCore
public import ReceiptTypes

extension SimulatorEngine {
    /// Announces a price increase for the next renewal.
    ///
    /// Where consent is required and the customer does not consent, the subscription ends with the current period.
    public mutating func requestPriceIncrease(
        _ id: String, to price: Milliunits, needsConsent: Bool = true
    ) throws(StoreSimulatorError) {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        let subscription = state.subscriptions[index]
        let present = subscription.agreedPrice ?? renewalPrice(of: subscription)
        guard price > present ?? Milliunits(0) else {
            throw StoreSimulatorError(.invalidAction, "the new price \(price) is not higher than the current price")
        }
        guard subscription.willAutoRenew else {
            throw StoreSimulatorError(.invalidAction, "automatic renewal of \(id) is off")
        }
        changeSubscription(index) { $0.priceIncrease = .init(price: price, isAccepted: !needsConsent) }
        notify(.priceIncrease, needsConsent ? .pending : .accepted, aboutSubscription: index)
    }

    /// Records the customer's consent to a price increase.
    public mutating func consentToPriceIncrease(_ id: String) throws(StoreSimulatorError) {
        let index = try openIncrease(id)
        changeSubscription(index) { $0.priceIncrease?.isAccepted = true }
        notify(.priceIncrease, .accepted, aboutSubscription: index)
    }

    /// Records the customer's refusal of a price increase; the subscription ends with the current period.
    public mutating func declinePriceIncrease(_ id: String) throws(StoreSimulatorError) {
        let index = try openIncrease(id)
        changeSubscription(index) { subscription in
            subscription.willAutoRenew = false
            subscription.expirationIntent = .priceIncreaseDeclined
        }
        notify(.didChangeRenewalStatus, .autoRenewDisabled, aboutSubscription: index)
    }

    private func openIncrease(_ id: String) throws(StoreSimulatorError) -> Int {
        let index = try subscriptionIndex(id)
        try requireRunning(index)
        guard let increase = state.subscriptions[index].priceIncrease, !increase.isAccepted else {
            throw StoreSimulatorError(.invalidAction, "subscription \(id) has no price increase that waits for consent")
        }
        return index
    }
}

internal import PurchaseCore
internal import ReceiptTypes

// Eligibility for offers.
extension SimulatorEngine {
    /// Returns whether a customer is eligible for an introductory offer in a group.
    ///
    /// A customer with a running subscription in the group is not eligible, nor one that has used such an offer before.
    public func isEligibleForIntroductoryOffer(_ account: String, group: String) -> Bool {
        if let index = ownSubscriptionIndex(of: account, group: group), state.subscriptions[index].isRunning {
            return false
        }
        return !state.transactions.contains { transaction in
            guard transaction.sharedFrom == nil, let offer = transaction.offer, let groupID = transaction.groupID
            else { return false }
            return (offer.type == .introductory || offer.replacesIntroductoryOffer)
                && groupID.isIdentical(to: group) && transaction.account.isIdentical(to: account)
        }
    }

    /// Returns the offers of a purchase in order; throws where the customer is not eligible for the requested one.
    ///
    /// An offer applies only to the payment schedule that it names, or to the usual one where it names none.
    func offer(
        for product: ConfiguredProduct, _ account: String, _ requested: RequestedOffer?, _ plan: BillingPlanType?
    ) throws(StoreSimulatorError) -> [AppliedOffer] {
        guard var terms = product.subscription else { return [] }
        terms.keepOffers(of: plan)
        let current = ownSubscriptionIndex(of: account, group: terms.groupID).map { state.subscriptions[$0] }
        let introductory =
            isEligibleForIntroductoryOffer(account, group: terms.groupID)
            ? terms.introductoryOffers.first.map { AppliedOffer($0, type: .introductory) } : nil
        switch requested {
        case nil:
            return introductory.map { [$0] } ?? []
        case .promotional(let id):
            let offer = try Self.find(id, in: terms.promotionalOffers, \.id)
            guard current != nil else { throw Self.ineligible(id, "only for current and former subscribers") }
            return [AppliedOffer(offer, type: .promotional)]
        case .winBack(let id):
            let offer = try Self.find(id, in: terms.winBackOffers, \.id)
            guard let current, !current.isRunning else { throw Self.ineligible(id, "only for former subscribers") }
            return [AppliedOffer(offer, type: .winBack)]
        case .code(let name):
            let offer = try Self.find(name, in: terms.codeOffers, \.name)
            try requireEligible(account, current, for: offer)
            guard offer.isStackable, let introductory else {
                return [AppliedOffer(offer, type: .code, replacesIntroductoryOffer: introductory != nil)]
            }
            return [introductory, AppliedOffer(offer, type: .code)]
        }
    }

    private func requireEligible(
        _ account: String, _ current: StoredSubscription?, for offer: ConfiguredOffer
    ) throws(StoreSimulatorError) {
        let standing: ConfiguredOffer.Eligibility =
            switch current?.isRunning {
            case nil: .new
            case true?: .existing
            case false?: .expired
            }
        guard offer.eligibility.contains(standing) else {
            throw Self.ineligible(offer.name, "not for \(standing.rawValue) customers")
        }
        let isRedeemed = state.transactions.contains {
            guard let used = $0.offer, used.type == .code, let id = used.id else { return false }
            return id.isIdentical(to: offer.name) && $0.account.isIdentical(to: account)
        }
        let isUpcoming = current?.upcomingOffers.contains {
            $0.offer.type == .code && ($0.offer.id ?? "").isIdentical(to: offer.name)
        }
        guard !isRedeemed, isUpcoming != true else {
            throw Self.ineligible(offer.name, "already redeemed by this customer")
        }
    }

    /// Returns the identifiers of the win-back offers for which a former subscriber is eligible.
    func winBackOfferIDs(for subscription: StoredSubscription) -> [String] {
        guard subscription.sharedFrom == nil, !subscription.isRunning else { return [] }
        return configuration.product(subscription.productID)?.subscription?.winBackOffers.compactMap(\.id) ?? []
    }

    /// Returns the offer with a name, of those for the payment schedule of the purchase.
    private static func find(
        _ id: String, in offers: [ConfiguredOffer], _ name: (ConfiguredOffer) -> String?
    ) throws(StoreSimulatorError) -> ConfiguredOffer {
        guard let offer = offers.first(where: { name($0)?.isIdentical(to: id) ?? false }) else {
            throw StoreSimulatorError(.unknownOffer, "the product has no offer \(id)")
        }
        return offer
    }

    private static func ineligible(_ id: String, _ why: String) -> StoreSimulatorError {
        StoreSimulatorError(.ineligibleForOffer, "offer \(id) is \(why)")
    }
}

extension ConfiguredSubscription {
    /// Removes the offers that do not apply to a payment schedule.
    fileprivate mutating func keepOffers(of plan: BillingPlanType?) {
        func applies(_ offer: ConfiguredOffer) -> Bool {
            (offer.billingPlanType ?? .billedUpfront) == (plan ?? .billedUpfront)
        }
        introductoryOffers = introductoryOffers.filter(applies)
        promotionalOffers = promotionalOffers.filter(applies)
        codeOffers = codeOffers.filter(applies)
        winBackOffers = winBackOffers.filter(applies)
    }
}

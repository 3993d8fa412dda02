internal import PurchaseCore
internal import ReceiptTypes

// The payloads of signed data, with the claims that the App Store writes.
extension SimulatorEngine {
    func payload(of transaction: StoredTransaction) -> JWSTransactionDecodedPayload {
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = transaction.id
        payload.originalTransactionId = transaction.originalID
        payload.webOrderLineItemId = transaction.webOrderLineItemID
        payload.bundleId = state.app.bundleID
        payload.productId = transaction.productID
        payload.subscriptionGroupIdentifier = transaction.groupID
        payload.purchaseDate = transaction.purchaseDate
        payload.originalPurchaseDate = transaction.originalPurchaseDate
        payload.expiresDate = transaction.expiresDate
        payload.quantity = Int32(clamping: transaction.quantity)
        payload.type = transaction.type
        payload.appAccountToken = transaction.appAccountToken
        payload.inAppOwnershipType = transaction.isFamilyShared ? .familyShared : .purchased
        payload.signedDate = transaction.signedDate
        if let revocation = transaction.revocation {
            payload.revocationDate = revocation.date
            payload.revocationReason = revocation.reason
            let share = revocation.percentage
            payload.revocationType =
                transaction.isFamilyShared ? .familyRevoke : share == nil ? .refundFull : .refundProrated
            payload.revocationPercentage = share ?? StoredTransaction.Revocation.wholePercentage
        }
        if transaction.isUpgraded { payload.isUpgraded = true }
        if let offer = transaction.offer {
            payload.offerType = offer.type
            payload.offerIdentifier = offer.id
            payload.offerDiscountType = offer.paymentMode
            payload.offerPeriod = offer.period.description
        }
        payload.billingPlanType = billingPlan(of: transaction)
        payload.commitmentInfo = transaction.commitment.map { commitment in
            var info = TransactionCommitmentInfo()
            info.billingPeriodNumber = Int32(clamping: commitment.month)
            info.totalBillingPeriods = Int32(clamping: commitment.monthCount)
            info.commitmentPrice = commitment.price
            info.commitmentExpiresDate = commitment.endDate
            return info
        }
        payload.environment = state.app.environment
        payload.transactionReason = transaction.reason
        payload.storefront = transaction.storefront
        payload.storefrontId = (Storefront(code: transaction.storefront) ?? .unitedStates).id
        payload.price = transaction.price
        payload.currency = transaction.price == nil ? nil : transaction.currency
        payload.appTransactionId = state.account(transaction.account)?.appTransactionID
        return payload
    }

    /// Returns the payment schedule that a payload names; nil for a product with the usual one only.
    private func billingPlan(of transaction: StoredTransaction) -> BillingPlanType? {
        if transaction.commitment != nil { return .monthly }
        let plans = configuration.product(transaction.productID)?.subscription?.billingPlans ?? []
        return plans.isEmpty ? nil : .billedUpfront
    }

    /// Adds the next payment schedule and the commitment of a subscription.
    private func addCommitment(of subscription: StoredSubscription, to payload: inout JWSRenewalInfoDecodedPayload) {
        let product = configuration.product(subscription.renewalProductID)
        let next = subscription.billingPlan ?? .billedUpfront
        let hasPlans = !(product?.subscription?.billingPlans ?? []).isEmpty
        if subscription.commitment != nil || hasPlans {
            payload.renewalBillingPlanType = subscription.owesMonths ? .monthly : next
        }
        guard let commitment = subscription.commitment else { return }
        var info = RenewalCommitmentInfo()
        info.commitmentAutoRenewProductId = subscription.renewalProductID
        info.commitmentAutoRenewStatus = subscription.willAutoRenew ? .on : .off
        info.commitmentRenewalBillingPlanType = next
        info.commitmentRenewalDate = commitment.endDate
        if subscription.willAutoRenew, let product, let terms = product.subscription {
            var after = subscription
            after.commitment = nil
            let period = nextPeriodTerms(of: after, product, terms)
            info.commitmentRenewalPrice = period.commitment?.price ?? period.price
        }
        payload.commitmentInfo = info
    }

    func payload(of subscription: StoredSubscription) -> JWSRenewalInfoDecodedPayload {
        var payload = JWSRenewalInfoDecodedPayload()
        payload.originalTransactionId = subscription.id
        // Until its end, a commitment renews even if the customer has turned automatic renewal off.
        payload.autoRenewProductId = subscription.nextProductID
        payload.productId = subscription.productID
        payload.autoRenewStatus = subscription.willAutoRenew || subscription.owesMonths ? .on : .off
        addCommitment(of: subscription, to: &payload)
        payload.signedDate = subscription.signedDate
        payload.environment = state.app.environment
        payload.recentSubscriptionStartDate = subscription.startDate
        payload.renewalDate = subscription.expiresDate
        payload.appAccountToken = subscription.appAccountToken
        payload.appTransactionId = state.account(subscription.account)?.appTransactionID
        payload.expirationIntent = subscription.expirationIntent
        payload.gracePeriodExpiresDate = subscription.gracePeriodEnd
        let isInRetry = subscription.standing == .billingRetry || subscription.standing == .gracePeriod
        if isInRetry || !subscription.isRunning { payload.isInBillingRetryPeriod = isInRetry }
        if let increase = subscription.priceIncrease {
            payload.priceIncreaseStatus = increase.isAccepted ? .accepted : .pending
        }
        if !subscription.owesMonths, let offer = subscription.upcomingOffers.first?.offer {
            payload.offerType = offer.type
            payload.offerIdentifier = offer.id
            payload.offerDiscountType = offer.paymentMode
            payload.offerPeriod = offer.period.description
        }
        if subscription.sharedFrom == nil, payload.autoRenewStatus == .on,
            let price = nextPrice(of: subscription)
        {
            payload.renewalPrice = price
            payload.currency = state.settings.knownStorefront.currency.code
        }
        let winBacks = winBackOfferIDs(for: subscription)
        if !winBacks.isEmpty { payload.eligibleWinBackOfferIds = winBacks }
        return payload
    }

    /// Returns the amount of the next payment; nil for a product that is no longer on sale.
    private func nextPrice(of subscription: StoredSubscription) -> Milliunits? {
        if subscription.owesMonths {
            return state.index(of: subscription.latestNumber).flatMap { state.transactions[$0].price }
        }
        return subscription.upcomingOffers.first?.offer.price ?? subscription.priceIncrease?.price
            ?? subscription.agreedPrice ?? renewalPrice(of: subscription)
    }

    func appTransaction(of account: StoreAccount) -> JWSAppTransactionDecodedPayload {
        var payload = JWSAppTransactionDecodedPayload()
        payload.receiptType = state.app.environment
        payload.appAppleId = state.app.appAppleID
        payload.bundleId = state.app.bundleID
        payload.applicationVersion = state.app.version
        // As in an app receipt, the sandbox knows no other version.
        payload.originalApplicationVersion = state.app.environment == .sandbox ? "1.0" : account.originalVersion
        payload.receiptCreationDate = state.now
        payload.originalPurchaseDate = account.originalPurchaseDate
        payload.appTransactionId = account.appTransactionID
        payload.originalPlatform = .iOS
        return payload
    }
}

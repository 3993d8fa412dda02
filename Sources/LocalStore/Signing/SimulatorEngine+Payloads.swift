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
            payload.revocationType = transaction.isFamilyShared ? .familyRevoke : .refundFull
            payload.revocationPercentage = 100_000
        }
        if transaction.isUpgraded { payload.isUpgraded = true }
        if let offer = transaction.offer {
            payload.offerType = offer.type
            payload.offerIdentifier = offer.id
            payload.offerDiscountType = offer.paymentMode
            payload.offerPeriod = offer.period.description
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

    func payload(of subscription: StoredSubscription) -> JWSRenewalInfoDecodedPayload {
        var payload = JWSRenewalInfoDecodedPayload()
        payload.originalTransactionId = subscription.id
        payload.autoRenewProductId = subscription.renewalProductID
        payload.productId = subscription.productID
        payload.autoRenewStatus = subscription.willAutoRenew ? .on : .off
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
        if let offer = subscription.upcomingOffers.first?.offer {
            payload.offerType = offer.type
            payload.offerIdentifier = offer.id
            payload.offerDiscountType = offer.paymentMode
            payload.offerPeriod = offer.period.description
        }
        if subscription.sharedFrom == nil, subscription.willAutoRenew,
            let price = renewalPrice(of: subscription)
        {
            payload.renewalPrice = price
            payload.currency = state.settings.knownStorefront.currency.code
        }
        let winBacks = winBackOfferIDs(for: subscription)
        if !winBacks.isEmpty { payload.eligibleWinBackOfferIds = winBacks }
        return payload
    }

    private func renewalPrice(of subscription: StoredSubscription) -> Milliunits? {
        subscription.upcomingOffers.first?.offer.price ?? subscription.priceIncrease?.price
            ?? subscription.agreedPrice ?? configuration.product(subscription.renewalProductID)?.price
    }

    func appTransaction(of account: StoreAccount) -> JWSAppTransactionDecodedPayload {
        var payload = JWSAppTransactionDecodedPayload()
        payload.receiptType = state.app.environment
        payload.appAppleId = state.app.appAppleID
        payload.bundleId = state.app.bundleID
        payload.applicationVersion = state.app.version
        payload.originalApplicationVersion = account.originalVersion
        payload.receiptCreationDate = state.now
        payload.originalPurchaseDate = account.originalPurchaseDate
        payload.appTransactionId = account.appTransactionID
        payload.originalPlatform = .iOS
        return payload
    }
}

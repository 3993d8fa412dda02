public import ReceiptTypes

extension Transaction {
    /// Reads verified purchase data of Google Play.
    ///
    /// Returns nil if the data lacks the purchase token, the product or the purchase time, names another product or
    /// several products, or is of a purchase that is neither completed nor cancelled.
    ///
    /// - Parameters:
    ///   - purchase: The data, whose signature the caller has verified.
    ///   - product: The product according to the app.
    ///   - expiresDate: The end of a subscription's paid time, if a server has asked the Play Developer API. Without
    ///     it, the service counts periods up to the last time at which the store listed the purchase.
    public init?(_ purchase: PlayPurchase, product: PlayProduct, expiresDate: Timestamp? = nil) {
        guard let token = purchase.purchaseToken, !token.isEmpty, let purchaseDate = purchase.purchaseTime,
            let productID = purchase.onlyProductID, productID.isIdentical(to: product.id),
            purchase.state == .purchased || purchase.state == .cancelled
        else { return nil }
        id = token
        originalID = token
        webOrderLineItemID = nil
        self.productID = productID
        type = product.type
        kind = Kind(product.type)
        subscriptionGroupID = product.subscriptionGroupID
        self.purchaseDate = purchaseDate
        originalPurchaseDate = purchaseDate
        isRenewal = nil
        self.expiresDate = kind == .autoRenewable ? expiresDate : nil
        quantity = max(1, Int(purchase.quantity ?? 1))
        ownership = .purchased
        // The data has no date of the cancellation; the state in the origin says that it was cancelled.
        revocationDate = nil
        refundedShare = nil
        isUpgraded = false
        offerType = nil
        offerPaymentMode = nil
        appAccountToken = purchase.obfuscatedAccountId.map { UUIDText($0).lowercased }
        signedDate = purchaseDate
        price = nil
        currency = nil
        environment = nil
        isOfTestStore = false
        origin = .googlePlay(
            PlayFacts(
                orderID: purchase.orderId,
                state: purchase.state,
                isAcknowledged: purchase.isAcknowledged,
                isAutoRenewing: kind == .autoRenewable ? purchase.autoRenewing ?? false : nil,
                obfuscatedAccountID: purchase.obfuscatedAccountId,
                obfuscatedProfileID: purchase.obfuscatedProfileId,
                period: product.period
            ))
    }
}

extension PlayPurchase {
    /// The product of the purchase; nil if the data names none or several.
    var onlyProductID: String? {
        var ids = self.productIds ?? []
        if let id = self.productId, !ids.contains(where: { $0.isIdentical(to: id) }) { ids.append(id) }
        guard ids.count == 1, let id = ids.first, !id.isEmpty else { return nil }
        return id
    }
}

// MARK: - Paid time of subscriptions

extension Transaction {
    /// Whether the transaction is a subscription of Google Play.
    var isPlaySubscription: Bool { kind == .autoRenewable && play != nil }

    /// Returns a copy of a Play subscription with what its data does not say: whether another purchase replaces it, and
    /// the end of its paid time.
    ///
    /// A Play subscription is paid in advance: if the store lists it, the period that contains this instant is paid.
    /// Without a listing, only the first period is certain. A listing after the present was recorded while the clock
    /// ran ahead, so it proves nothing beyond the present.
    func completed(by listing: PlayListing?, at now: Timestamp) -> Transaction {
        guard isPlaySubscription else { return self }
        var completed = self
        if let listing, listing.isReplaced { completed.isUpgraded = true }
        if expiresDate == nil, let period = play?.period {
            let listed = min(listing?.date ?? purchaseDate, now)
            completed.expiresDate = purchaseDate.firstEnd(of: period, after: max(listed, purchaseDate))
            completed.hasEstimatedEnd = true
        }
        return completed
    }
}

extension Timestamp {
    /// Returns the first end of a series of periods, which begins at this instant, after another instant.
    fileprivate func firstEnd(of period: BillingPeriod, after instant: Timestamp) -> Timestamp {
        // A day is the shortest period, and the calendar has fewer than four million days.
        var range = 1...4_000_000
        while range.lowerBound < range.upperBound {
            let middle = (range.lowerBound + range.upperBound) / 2
            if adding(period, times: middle) > instant {
                range = range.lowerBound...middle
            } else {
                range = (middle + 1)...range.upperBound
            }
        }
        return adding(period, times: range.lowerBound)
    }
}

extension RenewalInfo {
    /// Creates the renewal state of a Play subscription from its last listing; nil for every other transaction.
    init?(_ transaction: Transaction, listed: PlayListing?, at now: Timestamp) {
        guard let play = transaction.play, let isAutoRenewing = play.isAutoRenewing else { return nil }
        originalTransactionID = transaction.originalID
        productID = transaction.productID
        autoRenewProductID = listed?.plannedProductID(after: transaction.productID, at: now) ?? transaction.productID
        willAutoRenew = !transaction.isUpgraded && (listed?.willAutoRenew ?? isAutoRenewing)
        commitment = nil
        isInBillingRetry = false
        gracePeriodExpiresDate = nil
        renewalDate = nil
        renewalPrice = nil
        currency = nil
        priceIncreaseStatus = nil
        offer = nil
        eligibleWinBackOfferIDs = []
        signedDate = transaction.signedDate
    }
}
